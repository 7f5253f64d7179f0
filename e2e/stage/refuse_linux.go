package stage

import (
	"net"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// shared lets a port be listened at and be bound beside that: what is bound and not listened
// at refuses connections, and goes to nothing else.
func shared(_, _ string, c syscall.RawConn) error {
	var err error
	if wrong := c.Control(func(fd uintptr) { err = share(int(fd)) }); wrong != nil {
		return wrong
	}
	return err
}

func share(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) }

// Refuse makes the backend one whose connections are refused, until Return.
func (b *Backend) Refuse(t testing.TB) {
	t.Helper()
	addr, ok := b.front.Listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal("the backend has no port")
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	b.taken = os.NewFile(uintptr(fd), "port")
	if err := share(fd); err != nil {
		t.Fatal(err)
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte(addr.IP.To4())}); err != nil {
		t.Fatal(err)
	}
	_ = b.front.Listener.Close()
	b.front.CloseClientConnections()
}

// Return undoes Refuse.
func (b *Backend) Return(t testing.TB) {
	t.Helper()
	serve(t, b.front.Listener.Addr().String(), b.handler)
	_ = b.taken.Close()
}
