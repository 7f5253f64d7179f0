package doctor

import (
	"net"
	"os"
	"strings"
	"testing"

	"parley.dev/parley/internal/host"
)

// TestDoctorHost: a process that listens at the socket of the host and does not answer as one is a finding with a fix.
func TestDoctorHost(t *testing.T) {
	home, err := os.MkdirTemp("", "p") // short: the path of a socket is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	listener, err := host.Listen(host.SocketPath(home))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			answer(conn)
		}
	}()
	f := examineHost(home)
	if f.OK || f.Fix == "" || !strings.Contains(f.Detail, "busy today") || !strings.Contains(f.Detail, host.SocketPath(home)) {
		t.Errorf("%+v", f)
	}
}

// answer refuses a connection once its first line has come.
func answer(conn net.Conn) {
	defer conn.Close()
	_, _ = conn.Read(make([]byte, 1024))
	_, _ = conn.Write([]byte(`{"ok":false,"error":"busy today"}` + "\n"))
}
