package tunnel_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/cluster/tunnel"
	"parley.dev/parley/internal/stream/streamtest"
)

// A faultyFeed does something to one of the messages of a subject.
type faultyFeed struct {
	streamtest.Feed
	subject string
	number  int // of the message, from 1 on
	fault   func(f *faultyFeed, data []byte)

	mu    sync.Mutex
	count int
	after []byte // sent after the next message
}

func (f *faultyFeed) Send(subject string, data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if subject != f.subject {
		return f.Feed.Send(subject, data)
	}
	if f.count++; f.count == f.number {
		f.fault(f, data)
		return nil
	}
	_ = f.Feed.Send(subject, data)
	if f.after != nil {
		_ = f.Feed.Send(subject, f.after)
		f.after = nil
	}
	return nil
}

// open returns both sides of a tunnel.
func open(t *testing.T, feed tunnel.Feed) (a, b *tunnel.Conn) {
	t.Helper()
	a, err := tunnel.New(feed, "a", "b", tunnel.DefaultSilence)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = tunnel.New(feed, "b", "a", tunnel.DefaultSilence); err != nil {
		t.Fatal(err)
	}
	return a, b
}

// randomBytes returns bytes that follow from seed.
func randomBytes(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

// write writes data in pieces of several sizes, and then the end.
func write(c *tunnel.Conn, data []byte) error {
	for size := 1; len(data) > 0; size = (size*3 + 1) % 200_000 {
		n := min(max(size, 1), len(data))
		if _, err := c.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return c.CloseWrite()
}

// TestFaults loses, repeats and reorders one message: what arrives is all, or the beginning and ErrBroken.
func TestFaults(t *testing.T) {
	for name, fault := range map[string]struct {
		apply  func(f *faultyFeed, data []byte)
		breaks bool
	}{
		"lost":      {func(*faultyFeed, []byte) {}, true},
		"repeated":  {func(f *faultyFeed, data []byte) { _ = f.Feed.Send(f.subject, data); _ = f.Feed.Send(f.subject, data) }, false},
		"late":      {func(f *faultyFeed, data []byte) { f.after = slices.Clone(data) }, true},
		"malformed": {func(f *faultyFeed, _ []byte) { _ = f.Feed.Send(f.subject, []byte("x")) }, true},
	} {
		for _, number := range []int{1, 2, 7, 14} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a, b := open(t, &faultyFeed{subject: "b", number: number, fault: fault.apply})
					defer a.Close()
					defer b.Close()
					data := randomBytes(1, 700_000)
					go func() { _ = write(a, data) }()
					got, err := io.ReadAll(b)
					if !bytes.Equal(got, data[:len(got)]) {
						t.Fatalf("message %d: the %d bytes that arrived are not those that were sent", number, len(got))
					}
					if fault.breaks {
						if !errors.Is(err, tunnel.ErrBroken) {
							t.Errorf("message %d: %d bytes and error %v, want ErrBroken", number, len(got), err)
						}
						<-a.Done() // it is notified
					} else if err != nil || len(got) != len(data) {
						t.Errorf("message %d: %d bytes of %d, %v", number, len(got), len(data), err)
					}
				})
			})
		}
	}
}

// TestLostEnd loses the last message: a ping shows that it is missing.
func TestLostEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := open(t, &faultyFeed{subject: "b", number: 1, fault: func(*faultyFeed, []byte) {}})
		defer a.Close()
		defer b.Close()
		start := time.Now()
		if _, err := a.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Read(make([]byte, 1)); !errors.Is(err, tunnel.ErrBroken) {
			t.Errorf("Read after a lost message: %v", err)
		}
		if d := time.Since(start); d > tunnel.DefaultSilence/3 {
			t.Errorf("the loss is noticed after %s", d)
		}
	})
}

// TestSlowReader checks that a writer waits for a reader, which receives everything, and that the other direction goes on.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := open(t, &streamtest.Feed{})
		defer a.Close()
		defer b.Close()
		data := randomBytes(2, 3<<20)
		wrote := make(chan int, 1)
		go func() {
			n, _ := a.Write(data)
			wrote <- n
		}()
		time.Sleep(time.Minute) // pings keep the tunnel
		select {
		case n := <-wrote:
			t.Fatalf("%d bytes were written that nothing has read", n)
		default:
		}
		if _, err := b.Write([]byte("back")); err != nil {
			t.Fatal(err)
		}
		if got := make([]byte, 4); func() string { _, _ = io.ReadFull(a, got); return string(got) }() != "back" {
			t.Errorf("the other direction has %q", got)
		}
		got := make([]byte, len(data))
		for n := 0; n < len(got); {
			k, err := b.Read(got[n:min(n+100_000, len(got))])
			if err != nil {
				t.Fatal(err)
			}
			n += k
			time.Sleep(time.Millisecond)
		}
		if n := <-wrote; n != len(data) || !bytes.Equal(got, data) {
			t.Errorf("%d bytes were written of %d, or others arrived", n, len(data))
		}
	})
}

// TestSilence checks that a side whose other side is gone without a word ends.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := tunnel.New(&streamtest.Feed{}, "a", "b", tunnel.DefaultSilence)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		start := time.Now()
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, tunnel.ErrBroken) || time.Since(start) != tunnel.DefaultSilence {
			t.Errorf("Read: %v after %s", err, time.Since(start))
		}
		if _, err := a.Write([]byte("x")); !errors.Is(err, tunnel.ErrBroken) {
			t.Errorf("Write: %v", err)
		}
	})
}

// TestClose closes a side at each stage: the other one gets what was written before, and then the end.
func TestClose(t *testing.T) {
	for name, test := range map[string]struct {
		before func(a, b *tunnel.Conn)
		want   string
	}{
		"at once":          {func(a, b *tunnel.Conn) {}, ""},
		"after bytes":      {func(a, b *tunnel.Conn) { _, _ = a.Write([]byte("abc")) }, "abc"},
		"after the end":    {func(a, b *tunnel.Conn) { _, _ = a.Write([]byte("abc")); _ = a.CloseWrite() }, "abc"},
		"after their end":  {func(a, b *tunnel.Conn) { _ = b.CloseWrite(); _, _ = a.Write([]byte("abc")) }, "abc"},
		"after a full one": {func(a, b *tunnel.Conn) { _, _ = a.Write(make([]byte, tunnel.Window)) }, string(make([]byte, tunnel.Window))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := open(t, &streamtest.Feed{})
				test.before(a, b)
				for range 2 {
					_ = a.Close()
				}
				got, err := io.ReadAll(b)
				if err != nil || string(got) != test.want {
					t.Errorf("%d bytes and %v, want %d", len(got), err, len(test.want))
				}
				<-b.Done()
				if _, err := b.Write([]byte("x")); err == nil || !b.ReaderClosed() {
					t.Error("Write to a closed tunnel succeeds")
				}
				if _, err := a.Read(make([]byte, 1)); !errors.Is(err, tunnel.ErrClosed) {
					t.Errorf("Read of a side that is closed: %v", err)
				}
				_ = b.Close()
			})
		})
	}
}

// TestCloseEndsCalls closes a side whose Read and Write wait.
func TestCloseEndsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := open(t, &streamtest.Feed{})
		defer b.Close()
		errs := make(chan error, 2)
		go func() { _, err := a.Read(make([]byte, 1)); errs <- err }()
		go func() { _, err := a.Write(make([]byte, 2*tunnel.Window)); errs <- err }()
		synctest.Wait()
		_ = a.Close()
		for range 2 {
			if err := <-errs; !errors.Is(err, tunnel.ErrClosed) {
				t.Errorf("a call that waited ends with %v", err)
			}
		}
	})
}
