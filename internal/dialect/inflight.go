package dialect

import (
	"sync"

	"parley.dev/parley/internal/lock"
)

// Limits of what is in flight of one connection. When they are reached, the next line of the client is not handled until something
// has been answered: a client that does not read its answers must not have any number of them in memory.
const (
	maxInFlight      = 100      // lines that are not answered, and as many replies that are not in the outbox
	maxInFlightBytes = 16 << 20 // of those lines; a longer line is handled when no other is in flight
)

// inFlight is the lines of a connection that are not answered. A line is in flight while it is handled, and until everything
// that its handling has begun is released: goroutines of NewAnswers, and places of Replies.
type inFlight struct {
	mu      lock.Mutex
	lines   int
	bytes   int
	replies int           // places that are not in the outbox
	current *request      // being handled; nil: none is
	fewer   chan struct{} // closed when something is released; nil: nothing waits for that
}

// A request is a line in flight.
type request struct{ bytes, open int }

// begin waits until a line of that many bytes may be handled, and has it in flight until done is called.
func (f *inFlight) begin(bytes int) (done func()) {
	for {
		done, wait := f.tryBegin(bytes)
		if wait == nil {
			return done
		}
		<-wait
	}
}

// tryBegin returns either done, or what is closed when the line may be tried again.
func (f *inFlight) tryBegin(bytes int) (done func(), wait <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lines >= maxInFlight || f.replies >= maxInFlight || f.lines > 0 && f.bytes+bytes > maxInFlightBytes {
		if f.fewer == nil {
			f.fewer = make(chan struct{})
		}
		return nil, f.fewer
	}
	r := &request{bytes: bytes, open: 1}
	f.lines++
	f.bytes += bytes
	f.current = r
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.current = nil
		f.close(r)
	}, nil
}

// hold keeps the line that is being handled in flight until release is called.
func (f *inFlight) hold() (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.current
	if r == nil {
		return func() {}
	}
	r.open++
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.close(r)
	})
}

// Hold keeps the line that is being handled in flight until release is called, for what answers it without a goroutine of
// NewAnswers. See maxInFlight.
func (o *Output) Hold() (release func()) { return o.flight.hold() }

// reserve is hold for a reply, which counts until it is in the outbox.
func (f *inFlight) reserve() (sent func()) {
	release := f.hold()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies++
	return sync.OnceFunc(func() {
		release()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.replies--
		f.notify()
	})
}

func (f *inFlight) close(r *request) {
	if r.open--; r.open > 0 {
		return
	}
	f.lines--
	f.bytes -= r.bytes
	f.notify()
}

func (f *inFlight) notify() {
	if f.fewer != nil {
		close(f.fewer)
		f.fewer = nil
	}
}
