package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A gate is a writer that blocks until it is opened.
type gate struct {
	open   chan struct{}
	mu     sync.Mutex
	got    bytes.Buffer
	writes []string
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writes = append(g.writes, string(p))
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

// TestOutboxWritesTogether: lines that wait for a slow reader are written at once, as many as fit into one write.
func TestOutboxWritesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{open: make(chan struct{})}
		o := NewOutbox(NewWriter(g), 10*maxWrite)
		o.Post([]byte("first"))
		synctest.Wait() // it is being written
		long := strings.Repeat("x", maxWrite-4)
		for _, line := range []string{"a", "b", long, "c", "d"} {
			o.Post([]byte(line))
		}
		close(g.open)
		o.Close()
		if want := "first\n,a\nb\n," + long + "\nc\n,d\n"; strings.Join(g.writes, ",") != want {
			t.Errorf("got %.60q", g.writes)
		}
	})
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

// Flush returns when every line is written, or when the output is closed.
func TestOutboxFlush(t *testing.T) {
	g := &gate{open: make(chan struct{})}
	o := NewOutbox(NewWriter(g), 100)
	o.Flush() // nothing is queued
	o.Put([]byte("one"))
	o.Put([]byte("two"))
	flushed := make(chan string)
	go func() {
		o.Flush()
		g.mu.Lock()
		defer g.mu.Unlock()
		flushed <- g.got.String()
	}()
	select {
	case got := <-flushed:
		t.Errorf("Flush did not wait: %q", got)
	default:
	}
	close(g.open)
	if got := <-flushed; got != "one\ntwo\n" {
		t.Errorf("Flush returned after %q", got)
	}
	o.Close()

	r, w := io.Pipe()
	o = NewOutbox(NewWriter(w), 100)
	o.Put([]byte("never read"))
	go r.CloseWithError(errors.New("gone"))
	o.Flush()
	o.Close()
}

// A closed reader blocks neither Put nor Close, and nothing is queued after Close.
func TestOutboxReaderClosed(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(errors.New("gone"))
	out := NewWriter(w)
	o := NewOutbox(out, 10)
	for range 20 {
		o.Put([]byte("0123456789"))
	}
	<-out.Closed()
	o.Close()
	if err := out.WriteLine([]byte("x")); !errors.Is(err, ErrOutputClosed) || !strings.Contains(err.Error(), "gone") {
		t.Errorf("WriteLine: %v, want ErrOutputClosed and its cause", err)
	}
	<-o.done
	queued := len(o.lines)
	o.Put([]byte("after the end"))
	o.Post([]byte("after the end"))
	if len(o.lines) != queued {
		t.Errorf("%d lines are queued after Close", len(o.lines)-queued)
	}
}

// The outbox does not wait longer than grace for a reader that reads nothing, and a slow reader
// receives everything.
func TestOutboxExpire(t *testing.T) {
	const grace = 2 * time.Second
	for name, test := range map[string]struct {
		every, idle time.Duration // between two reads; before the first line
		takes       int           // reads; 0: all
		stalls      bool
		least, most time.Duration // until Close returns
	}{
		"nothing is read":  {every: time.Hour, stalls: true, least: grace, most: grace + grace/2},
		"slowly":           {every: grace - grace/10, least: 5 * grace, most: time.Minute},
		"too slowly":       {every: 2 * grace, stalls: true, least: grace, most: grace + grace/2},
		"reading stops":    {every: grace / 2, takes: 3, stalls: true, least: grace + 3*grace/2, most: 4 * grace},
		"idle for a while": {every: grace - grace/10, idle: 10 * grace, least: 15 * grace, most: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				var reading sync.WaitGroup
				defer reading.Wait()
				defer r.Close()
				reading.Go(func() {
					time.Sleep(test.idle)
					buf := make([]byte, maxWrite)
					for n := 0; n < test.takes || test.takes == 0; n++ {
						time.Sleep(test.every)
						if _, err := r.Read(buf); err != nil {
							return
						}
					}
				})
				o := NewOutbox(NewWriter(w), 10)
				start, stalled := time.Now(), make(chan struct{})
				o.Expire(grace, func() { close(stalled) })
				o.Expire(time.Nanosecond, func() { t.Error("the second call counts") })
				time.Sleep(test.idle)
				o.Put(make([]byte, 5*maxWrite))
				o.Put([]byte("the last")) // waits for room
				o.Close()
				took := time.Since(start)
				if took < test.least || took > test.most {
					t.Errorf("it took %s", took)
				}
				o.Put([]byte("late"))
				o.Post([]byte("late"))
				synctest.Wait()
				select {
				case <-stalled:
					if !test.stalls {
						t.Error("the output was given up")
					}
					if err := o.w.failure(); !errors.Is(err, ErrOutputClosed) {
						t.Errorf("the output ended with %v", err)
					}
				default:
					if test.stalls {
						t.Error("the output was not given up")
					}
				}
			})
		})
	}
}
