//go:build unix

package host

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// The files that a relay sends after its preamble are closed.
func TestLateFilesOfRelay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	relay, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer relay.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	first := &firstLine{conn: conn.(*net.UnixConn)}
	defer first.close()
	lines := bufio.NewReader(first)
	send := func(line string) *os.File {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { read.Close() })
		if err := sendFiles(relay.(*net.UnixConn), []byte(line), write); err != nil {
			t.Fatal(err)
		}
		write.Close()
		if got, err := lines.ReadString('\n'); got != line {
			t.Fatalf("%q, %v", got, err)
		}
		return read
	}
	send("preamble\n")
	if len(first.files) != 1 {
		t.Fatalf("%d files came with the preamble", len(first.files))
	}
	first.read = true
	late := send("{}\n")
	if _, err := io.ReadAll(late); err != nil { // ends when no process has the other end
		t.Error(err)
	}
	if len(first.files) != 1 {
		t.Errorf("%d files are stored", len(first.files))
	}
}
