package client

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
)

// foreign is a connection to a host that sends what it likes.
type foreign struct{ lines [][]byte }

func (f *foreign) read() ([]byte, error) {
	if len(f.lines) == 0 {
		return nil, io.EOF
	}
	line := f.lines[0]
	f.lines = f.lines[1:]
	return line, nil
}

func (f *foreign) write([]byte) error { return nil }
func (f *foreign) close() error       { return nil }

// FuzzHost: whatever a host sends, a request is answered or fails once, and a follower ends with the connection.
func FuzzHost(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"method":"record","params":{"session":"s","record":{"seq":1,"kind":"turn_ended","data":{}}}}`))
	f.Add([]byte(`{"id":1,"error":{"code":-32005,"message":"m","data":7}}` + "\n" + `{"id":1,"result":null}` + "\n[]\n{"))
	f.Add([]byte(`{"method":"session/closed","params":{"session":"s","reason":"moved"}}` + "\n" + `{"method":"session/closed","params":{"session":"s"}}` + "\n" + `{"method":"host/session","params":{"session":"s"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		synctest.Test(t, func(t *testing.T) {
			gate := make(chan struct{})
			l := &gated{&foreign{bytes.Split(text, []byte("\n"))}, gate}
			c := newConn(l, func(*conn) {})
			follower := newFollower()
			c.mu.Lock()
			c.followed["s"] = follower
			c.mu.Unlock()
			answered := make(chan error, 1)
			go func() {
				_, err := c.request(t.Context(), "ping", map[string]any{}, nil)
				answered <- err
			}()
			synctest.Wait() // the request was sent
			close(gate)
			<-answered
			<-c.lost
			synctest.Wait()
			if c.pending != nil || c.followed != nil {
				t.Error("something waits on a connection that is lost")
			}
		})
	})
}

// gated is lines that can be read from a moment on.
type gated struct {
	*foreign
	open <-chan struct{}
}

func (g *gated) read() ([]byte, error) {
	<-g.open
	return g.foreign.read()
}
