package host

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerUID returns the user of the other end of a connection.
func peerUID(conn net.Conn) (uid int, known bool) {
	control(conn, func(fd int) {
		if cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			uid, known = int(cred.Uid), true
		}
	})
	return uid, known
}

// peerPID returns the process at the other end of a connection; 0: not known.
func peerPID(conn net.Conn) (pid int) {
	control(conn, func(fd int) {
		if cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}
