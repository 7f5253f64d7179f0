//go:build unix

package wire

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// TestReaderClosed: a pipe whose reader has closed it, and a socket whose client has; not one that only ends its input.
func TestReaderClosed(t *testing.T) {
	if ReaderClosed(&bytes.Buffer{}) {
		t.Error("a buffer is said to be closed")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if ReaderClosed(w) {
		t.Error("a pipe with a reader")
	}
	r.Close()
	if !ReaderClosed(w) {
		t.Error("a pipe without a reader")
	}
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if err := client.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if ReaderClosed(server) {
		t.Error("a client that still reads")
	}
	client.Close()
	if !ReaderClosed(server) {
		t.Error("a client that has closed its socket")
	}
}
