package socket

import (
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOwnPeer: the user of a client is that of its socket while its process has it open.
func TestOwnPeer(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Skip(err)
		}
		defer listener.Close()
		client, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		uid, known := peerUID(client.LocalAddr().(*net.TCPAddr).AddrPort(), client.RemoteAddr().(*net.TCPAddr).AddrPort())
		if !known || uid != os.Getuid() || !ownPeer(conn) {
			t.Errorf("%s: user %d, known: %t", address, uid, known)
		}
		client.Close()
		if ownPeer(conn) {
			t.Errorf("%s: a socket that was closed is one of this user", address)
		}
	}
}

// TestFindUID: lines of the system for another user, and those that are about no open socket.
func TestFindUID(t *testing.T) {
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	client, server := netip.MustParseAddrPort("127.0.0.1:40000"), netip.MustParseAddrPort("127.0.0.1:4500")
	for line, want := range map[string]int{
		"   0: 0100007F:9C40 0100007F:1194 01 00000000:00000000 00:00000000 00000000  1001        0 4711 1":                  1001,
		"   0: 0000000000000000FFFF00000100007F:9C40 0000000000000000FFFF00000100007F:1194 01 0:0 0:0 0  1001        0 4711": 1001,
		"   0: 0100007F:9C40 0100007F:1194 04 00000000:00000000 00:00000000 00000000     0        0 0 1":                     -1,
		"   0: 0100007F:9C40 0100007F:1194 01 00000000:00000000 00:00000000 00000000     0        0 0 1":                     -1,
		"   0: 0100007F:1194 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1001        0 4711 1":                  -1,
		"   0: 0100007F:9C41 0100007F:1194 01 00000000:00000000 00:00000000 00000000  1001        0 4711 1":                  -1,
		"   0: 0200007F:9C40 0100007F:1194 01 00000000:00000000 00:00000000 00000000  1001        0 4711 1":                  -1,
		"no line": -1,
	} {
		uid, known := findUID(strings.NewReader(head+line+"\n"), client, server)
		if !known {
			uid = -1
		}
		if uid != want {
			t.Errorf("%s: %d", line, uid)
		}
	}
}

// TestForeignPeer: a client of another user is refused before it has sent anything.
func TestForeignPeer(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	listener, address, err := Listen("ws://127.0.0.1:0", "", false)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if conn, err := listener.Accept(); err == nil {
			t.Error("the connection is accepted")
			conn.Close()
		}
	}()
	defer listener.Close()
	answers := make(chan string)
	go func() {
		defer close(answers)
		runtime.LockOSThread() // the thread, which has another user now, ends with the goroutine
		if _, _, failed := unix.RawSyscall(unix.SYS_SETRESUID, 65534, 65534, 65534); failed != 0 {
			t.Error(failed)
			return
		}
		conn, err := net.Dial("tcp", strings.TrimPrefix(address, "ws://"))
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		text, _ := io.ReadAll(conn)
		answers <- string(text)
	}()
	if got := <-answers; !strings.HasPrefix(got, "HTTP/1.1 403") || !strings.Contains(got, "--ws-auth") {
		t.Errorf("answered %q", got)
	}
}
