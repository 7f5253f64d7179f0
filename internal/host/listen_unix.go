//go:build unix

package host

import (
	"net"

	"golang.org/x/sys/unix"
)

// listen listens at a socket that only this user can connect to.
func listen(path string) (net.Listener, error) {
	old := unix.Umask(0o177) // until the socket has its mode, too
	defer unix.Umask(old)
	return net.Listen("unix", path)
}

// control calls do with the descriptor of a connection.
func control(conn net.Conn, do func(fd int)) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return
	}
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) })
	}
}
