package socket

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// serve returns the address of a server that answers each line with itself.
func serve(t *testing.T) string {
	t.Helper()
	s := NewServer(Options{Speak: func(_ context.Context, c *Conn, _ <-chan struct{}) {
		lines := bufio.NewScanner(c)
		for lines.Scan() {
			_, _ = io.WriteString(c, "> "+lines.Text()+"\n")
		}
	}})
	return listened(t, s)
}

// listened returns the address of a server.
func listened(t *testing.T, s *Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// TestLines: a message is a line in both directions, at any path.
func TestLines(t *testing.T) {
	ws, _, err := websocket.Dial(t.Context(), "ws://"+serve(t)+"/any/path", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte("{\"a\":\n1}")); err != nil {
		t.Fatal(err)
	}
	if _, got, err := ws.Read(t.Context()); err != nil || string(got) != "> {\"a\":\r1}" {
		t.Errorf("%q, %v", got, err)
	}
	if err := ws.Write(t.Context(), websocket.MessageBinary, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusUnsupportedData {
		t.Errorf("a binary message: %v", err)
	}
}

// TestBrokenFrames: a client that breaks RFC 6455 is sent the status for that, not the one of a normal end.
func TestBrokenFrames(t *testing.T) {
	for name, frame := range map[string]string{
		"without a mask": "\x81\x01x", "longer than a number": "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", "of a reserved kind": "\x83\x80\x00\x00\x00\x00",
	} {
		conn, err := net.Dial("tcp", serve(t))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"+frame); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		if resp, err := http.ReadResponse(in, nil); err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("%v, %v", resp, err)
		}
		head := make([]byte, 4)
		if _, err := io.ReadFull(in, head); err != nil || head[0] != 0x88 || binary.BigEndian.Uint16(head[2:]) != uint16(websocket.StatusProtocolError) {
			t.Errorf("a frame %s: %x, %v", name, head, err)
		}
	}
}

// TestRequests: pages of browsers stay out, and the state can be asked for.
func TestRequests(t *testing.T) {
	address := serve(t)
	for _, test := range []struct {
		path, origin string
		want         int
	}{
		{"/readyz", "", http.StatusOK},
		{"/healthz", "", http.StatusOK},
		{"/", "https://example.org", http.StatusForbidden},
		{"/readyz", "https://example.org", http.StatusForbidden},
		{"/", "", http.StatusUpgradeRequired},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != test.want {
			t.Errorf("%s from %q: %d %s", test.path, test.origin, response.StatusCode, strings.TrimSpace(string(text)))
		}
	}
}

// TestTokenExpires: a connection ends when its token expires, and nothing more is read from it.
func TestTokenExpires(t *testing.T) {
	expired := make(chan struct{})
	read := make(chan string, 10)
	s := NewServer(Options{
		Admit: func(*http.Request) (time.Time, error) { return time.Unix(1000, 0), nil },
		Speak: func(_ context.Context, c *Conn, _ <-chan struct{}) {
			defer close(read)
			lines := bufio.NewScanner(c)
			for lines.Scan() {
				read <- lines.Text()
			}
		},
	})
	s.after = func(at time.Time) <-chan struct{} {
		if !at.Equal(time.Unix(1000, 0)) {
			t.Errorf("the connection is to end at %v", at)
		}
		return expired
	}
	ws, _, err := websocket.Dial(t.Context(), "ws://"+listened(t, s), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte("before")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "before" {
		t.Errorf("%q", got)
	}
	close(expired)
	if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("%v", err)
	}
	_ = ws.Write(t.Context(), websocket.MessageText, []byte("after"))
	for got := range read {
		t.Errorf("%q is read", got)
	}
}
