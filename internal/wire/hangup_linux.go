package wire

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// NotifyReaderClosed calls closed, once, when out is a pipe, a socket or a terminal whose reader
// has closed it. Otherwise only the next write would fail. stop ends the notification.
func NotifyReaderClosed(out io.Writer, closed func()) (stop func()) {
	return notifyEvent(out, 0, closed)
}

// NotifyInputEnded calls ended, once, when in is a pipe, a socket or a terminal whose last writer
// has closed it; there may still be unread input. stop ends the notification.
func NotifyInputEnded(in io.Reader, ended func()) (stop func()) {
	return notifyEvent(in, unix.EPOLLRDHUP, ended)
}

// notifyEvent calls happened when f, if it is a file or a socket, hangs up or has one of the other events.
func notifyEvent(f any, events uint32, happened func()) (stop func()) {
	file, ok := f.(syscall.Conn)
	if !ok {
		return func() {}
	}
	poll, err := watchHangup(file, events)
	if err != nil { // a regular file, for example, cannot hang up
		return func() {}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if awaitEvent(poll) {
			happened()
		}
	}()
	return func() {
		poll.Close()
		<-ended
	}
}

// watchHangup returns an epoll instance that becomes readable when f hangs up. The runtime polls
// it like any file, so waiting for it needs no thread.
func watchHangup(f syscall.Conn, events uint32) (*os.File, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	conn, err := f.SyscallConn()
	if err == nil {
		event := unix.EpollEvent{Events: events | unix.EPOLLONESHOT}
		controlErr := conn.Control(func(watched uintptr) {
			err = unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, int(watched), &event)
		})
		if err == nil {
			err = controlErr
		}
	}
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "epoll"), nil
}

// awaitEvent waits for an event of poll; it returns false if poll was closed.
func awaitEvent(poll *os.File) bool {
	conn, err := poll.SyscallConn()
	if err != nil {
		return false
	}
	happened := false
	err = conn.Read(func(fd uintptr) (done bool) {
		var events [1]unix.EpollEvent
		n, err := unix.EpollWait(int(fd), events[:], 0)
		happened = n > 0
		return happened || err != nil && err != syscall.EINTR
	})
	return err == nil && happened
}
