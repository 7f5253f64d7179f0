package natstest

import (
	"io"
	"net"
	"testing"
)

// echo returns the address of a server that sends back what it receives, and its connections.
func echo(t *testing.T) (address string, received <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	texts := make(chan string, 16)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				text, _ := io.ReadAll(io.TeeReader(conn, conn))
				texts <- string(text)
			}()
		}
	}()
	return listener.Addr().String(), texts
}

func dial(t *testing.T, l *Link) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", l.Addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Fatalf("received %q, %v, want %q", got, err, want)
	}
}

// TestLinkTransmitsTheLast sends what waits also after its sender has gone.
func TestLinkTransmitsTheLast(t *testing.T) {
	address, received := echo(t)
	l := NewLink(t, address)
	conn := dial(t, l)
	send(t, conn, "one ")
	receive(t, conn, "one ")
	seen := l.StallAt(Up, "two")
	send(t, conn, "t")
	send(t, conn, "wo")
	<-seen
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	l.Resume()
	if text := <-received; text != "one two" {
		t.Errorf("the server received %q", text)
	}
}

// TestLinkBreak discards what waits.
func TestLinkBreak(t *testing.T) {
	address, received := echo(t)
	l := NewLink(t, address)
	conn := dial(t, l)
	send(t, conn, "one")
	receive(t, conn, "one")
	l.Stall(Up)
	send(t, conn, "two")
	l.Refuse()
	if text := <-received; text != "one" {
		t.Errorf("the server received %q", text)
	}
	if refused, err := net.Dial("tcp", l.Addresses[0]); err == nil {
		if text, err := io.ReadAll(refused); len(text) > 0 {
			t.Errorf("a connection that is refused receives %q, %v", text, err)
		}
		_ = refused.Close()
	}
	l.Resume()
	conn = dial(t, l)
	send(t, conn, "three")
	receive(t, conn, "three")
}

// TestLinkOneWay stalls the answers only.
func TestLinkOneWay(t *testing.T) {
	address, received := echo(t)
	l := NewLink(t, address)
	conn := dial(t, l)
	l.Stall(Down)
	send(t, conn, "one")
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if text := <-received; text != "one" {
		t.Errorf("the server received %q", text)
	}
	l.Resume()
	receive(t, conn, "one")
}
