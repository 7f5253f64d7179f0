package dialect

import "parley.dev/parley/internal/lock"

// Replies sends replies to the client in the order in which they were reserved. It is for
// protocols whose requests are answered in the order of their arrival, also if one is
// answered by a session's Pump and the next one is not.
type Replies struct {
	out *Output

	mu    lock.Mutex
	queue []*reserved // not sent yet, oldest first
}

// reserved is the place of one reply.
type reserved struct {
	lines func() [][]byte // nil: not filled yet
	sent  chan struct{}   // closed when the lines are in the outbox
	done  func()          // of inFlight.reserve
}

// NewReplies returns Replies that nothing waits in.
func NewReplies(out *Output) *Replies { return &Replies{out: out} }

// Post sends lines after all replies that are reserved now.
func (r *Replies) Post(lines ...[]byte) { r.fill(r.reserve(), func() [][]byte { return lines }) }

// Sent returns a channel that is closed when all replies that are reserved now are in the outbox.
func (r *Replies) Sent() <-chan struct{} {
	place := r.reserve()
	r.fill(place, func() [][]byte { return nil })
	return place.sent
}

func (r *Replies) reserve() *reserved {
	r.mu.Lock()
	defer r.mu.Unlock()
	place := &reserved{sent: make(chan struct{}), done: r.out.flight.reserve()}
	r.queue = append(r.queue, place)
	return place
}

// fill sends lines at their place, once the places before it are filled. Lines is called
// then, and not before: what it describes includes the effects of the earlier requests. It
// must not use r.
func (r *Replies) fill(place *reserved, lines func() [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	place.lines = lines
	for len(r.queue) > 0 && r.queue[0].lines != nil {
		next := r.queue[0]
		r.queue = r.queue[1:] // also if its lines panic
		r.send(next)
	}
}

func (r *Replies) send(place *reserved) {
	defer close(place.sent)
	defer place.done()
	for _, line := range place.lines() {
		r.out.Post(line)
	}
}
