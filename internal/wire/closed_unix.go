//go:build unix

package wire

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// ReaderClosed reports whether out is a pipe, a socket or a terminal whose reader has closed it: of a socket, both of
// its directions.
func ReaderClosed(out io.Writer) bool {
	file, ok := out.(syscall.Conn)
	if !ok {
		return false
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return false
	}
	closed := false
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // descriptors are small
		n, err := unix.Poll(fds, 0)
		closed = err == nil && n > 0 && fds[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
	})
	return closed || err != nil // it was closed here
}
