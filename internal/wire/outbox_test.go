package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// gate is a reader that takes nothing until it is opened.
type gate struct {
	open chan struct{}
	mu   sync.Mutex
	got  bytes.Buffer
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.got.Write(p)
}

func TestOutboxKeepsOrder(t *testing.T) {
	g := &gate{open: make(chan struct{})}
	o := NewOutbox(NewWriter(g), 100)
	var want strings.Builder
	for i := range 30 { // 30 lines of 8 bytes: beyond the bound, below four times it
		line := fmt.Sprintf("line %03d", i)
		want.WriteString(line + "\n")
		o.Post([]byte(line))
	}
	close(g.open)
	o.Close()
	if g.got.String() != want.String() {
		t.Errorf("got %q", g.got.String())
	}
}

func TestOutboxPutWaitsForRoom(t *testing.T) {
	g := &gate{open: make(chan struct{})}
	o := NewOutbox(NewWriter(g), 10)
	o.Put([]byte("0123456789"))
	put := make(chan struct{})
	go func() {
		o.Put([]byte("more"))
		close(put)
	}()
	o.Post([]byte("reply")) // does not wait although the bound is reached
	select {
	case <-put:
		t.Error("Put did not wait")
	default:
	}
	close(g.open)
	<-put
	o.Close()
	if n := strings.Count(g.got.String(), "\n"); n != 3 {
		t.Errorf("%d lines came: %q", n, g.got.String())
	}
}

// TestOutboxReaderGone: nobody waits for a reader that will never read again.
func TestOutboxReaderGone(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(errors.New("gone"))
	out := NewWriter(w)
	o := NewOutbox(out, 10)
	for range 20 {
		o.Put([]byte("0123456789"))
	}
	<-out.Gone()
	o.Close()
	o.Put([]byte("after the end"))
}
