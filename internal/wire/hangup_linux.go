package wire

import (
	"cmp"
	"errors"
	"io"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/lock"
)

// NotifyReaderClosed calls closed, once, when out is a pipe, a socket or a terminal whose reader
// has closed it. Otherwise only the next write would fail. stop ends the notification. Neither
// closed nor stop may wait for the other.
func NotifyReaderClosed(out io.Writer, closed func()) (stop func()) {
	return notifyEvent(out, 0, closed)
}

// NotifyInputEnded calls ended, once, when in is a pipe, a socket or a terminal whose last writer
// has closed it; there may still be unread input. stop ends the notification. Neither ended nor stop
// may wait for the other.
func NotifyInputEnded(in io.Reader, ended func()) (stop func()) {
	return notifyEvent(in, unix.EPOLLRDHUP, ended)
}

// pollers are those that watch something: one, unless a file is watched twice.
var pollers struct {
	mu  lock.Mutex
	all []*poller
}

// A poller is an epoll instance, and the goroutine that waits for its events. All files of the process share
// it: a connection needs no goroutine and no descriptor to be watched.
type poller struct {
	file    *os.File // the instance; the runtime polls it like any file, so waiting for it needs no thread
	last    int32
	watches map[int32]*watch // by the data of their events; pollers.mu guards it
	done    chan struct{}    // closed when the goroutine has ended
}

// A watch is a file whose hangup, or another event, is waited for.
type watch struct {
	poller *poller
	id     int32
	conn   syscall.RawConn

	mu       lock.Mutex // held while happened runs
	happened func()     // nil: it was called, or the watch was stopped
}

// notifyEvent calls happened when f, if it is a file or a socket, hangs up or has one of the other events.
func notifyEvent(f any, events uint32, happened func()) (stop func()) {
	file, ok := f.(syscall.Conn)
	if !ok {
		return func() {}
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return func() {}
	}
	w := &watch{conn: conn, happened: happened}
	pollers.mu.Lock()
	defer pollers.mu.Unlock()
	for _, p := range pollers.all {
		if err = p.add(w, events); !errors.Is(err, unix.EEXIST) {
			break
		}
	}
	if w.poller == nil && (err == nil || errors.Is(err, unix.EEXIST)) {
		err = addPoller(w, events)
	}
	if err != nil { // a regular file, for example, cannot hang up
		return func() {}
	}
	return w.stop
}

// addPoller starts a poller for w. The caller holds pollers.mu.
func addPoller(w *watch, events uint32) error {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return err
	}
	p := &poller{file: os.NewFile(uintptr(fd), "epoll"), watches: map[int32]*watch{}, done: make(chan struct{})}
	if err := p.add(w, events); err != nil {
		p.file.Close()
		return err
	}
	pollers.all = append(pollers.all, p)
	go p.run()
	return nil
}

// add watches a file. The caller holds pollers.mu.
func (p *poller) add(w *watch, events uint32) error {
	for p.last++; p.watches[p.last] != nil; p.last++ { // after four billion
	}
	err := p.control(w.conn, unix.EPOLL_CTL_ADD, &unix.EpollEvent{Events: events | unix.EPOLLONESHOT, Fd: p.last})
	if err == nil {
		w.poller, w.id = p, p.last
		p.watches[w.id] = w
	}
	return err
}

// control changes what the instance has of a file.
func (p *poller) control(of syscall.RawConn, operation int, event *unix.EpollEvent) error {
	instance, err := p.file.SyscallConn()
	if err != nil {
		return err
	}
	var controlErr, fileErr error
	err = instance.Control(func(poll uintptr) {
		fileErr = of.Control(func(fd uintptr) { controlErr = unix.EpollCtl(int(poll), operation, int(fd), event) })
	})
	return cmp.Or(err, fileErr, controlErr)
}

// stop ends the watch. After it happened does not run.
func (w *watch) stop() {
	w.mu.Lock()
	w.happened = nil
	w.mu.Unlock()
	if w.poller.remove(w) {
		w.poller.file.Close()
		<-w.poller.done
	}
}

// remove removes a watch, and reports whether it was the last one.
func (p *poller) remove(w *watch) (last bool) {
	pollers.mu.Lock()
	defer pollers.mu.Unlock()
	if p.watches[w.id] != w {
		return false
	}
	delete(p.watches, w.id)
	_ = p.control(w.conn, unix.EPOLL_CTL_DEL, nil) // a file that is closed was removed then
	if len(p.watches) > 0 {
		return false
	}
	pollers.all = slices.DeleteFunc(pollers.all, func(other *poller) bool { return other == p })
	return true
}

// run calls the functions of the watches until the file is closed.
func (p *poller) run() {
	defer close(p.done)
	for {
		events, ok := p.wait()
		if !ok {
			return
		}
		for _, event := range events {
			if w := p.find(event.Fd); w != nil {
				w.notify()
			}
		}
	}
}

func (p *poller) find(id int32) *watch {
	pollers.mu.Lock()
	defer pollers.mu.Unlock()
	return p.watches[id]
}

func (w *watch) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.happened != nil {
		w.happened()
		w.happened = nil
	}
}

// wait waits for events; false: the file was closed.
func (p *poller) wait() (happened []unix.EpollEvent, ok bool) {
	conn, err := p.file.SyscallConn()
	if err != nil {
		return nil, false
	}
	var events [16]unix.EpollEvent
	n := 0
	err = conn.Read(func(fd uintptr) (done bool) {
		var err error
		n, err = unix.EpollWait(int(fd), events[:], 0)
		return n > 0 || err != nil && err != syscall.EINTR
	})
	return events[:max(n, 0)], err == nil && n > 0
}
