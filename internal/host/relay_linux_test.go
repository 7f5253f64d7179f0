package host

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestForeignListener: a relay passes nothing to a listener of another user.
func TestForeignListener(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	folder, err := os.MkdirTemp("", "") // the folders above that of TempDir are root's only
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "s")
	listening := make(chan net.Listener)
	go func() {
		defer close(listening)
		runtime.LockOSThread() // the thread, which has another user now, ends with the goroutine
		if _, _, failed := unix.RawSyscall(unix.SYS_SETRESUID, 65534, 65534, 65534); failed != 0 {
			t.Error(failed)
			return
		}
		listener, err := net.Listen("unix", socket)
		if err != nil {
			t.Error(err)
			return
		}
		listening <- listener
	}()
	listener := <-listening
	if listener == nil {
		t.FailNow()
	}
	defer listener.Close()
	received := make(chan int, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			received <- 0
			return
		}
		defer conn.Close()
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		n, _ := conn.Read(make([]byte, 100))
		received <- n
	}()
	_, err = Relay(socket, Preamble{Parley: 1, Dialect: "native"}, os.Stdin, os.Stdout, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("%v", err)
	}
	if n := <-received; n != 0 {
		t.Errorf("%d bytes were sent", n)
	}
}
