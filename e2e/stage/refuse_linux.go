package stage

import (
	"net"
	"net/http/httptest"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

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
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	_ = b.front.Listener.Close()
	b.front.CloseClientConnections()
	// A port that is bound and not listened at refuses, and goes to nobody else.
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte(addr.IP.To4())}); err != nil {
		t.Fatal(err)
	}
}

// Return undoes Refuse.
func (b *Backend) Return(t testing.TB) {
	t.Helper()
	b.taken.Close()
	l, err := net.Listen("tcp", b.front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	again := httptest.NewUnstartedServer(b.handler)
	_ = again.Listener.Close()
	again.Listener = l
	again.Start()
	t.Cleanup(func() {
		again.CloseClientConnections()
		again.Close()
	})
}
