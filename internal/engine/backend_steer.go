package engine

import (
	"context"
	"slices"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// A steerSender gives the agent the steers that come while it works on a prompt. A goroutine does that, which finish ends.
//
// A steer is in the queue until it is recorded as a message, where an answer of the agent ends; from the moment on in which the agent may
// have it no client can take it from the queue. If the agent does not take it, it stays there, as do all after it: they are the next
// prompt.
type steerSender struct {
	d      *delegation
	wake   chan struct{} // there may be a steer; has room for one
	over   chan struct{} // closed when the agent works no more
	done   chan struct{} // closed when the goroutine has ended
	cancel context.CancelFunc

	// The lock of the session guards what follows.
	backlog []event.Queued // the agent has them, and they are not recorded
	active  bool           // the agent has reported something of the turn
	pause   bool           // the agent has refused one
	hold    bool           // with SteerOneByOne: the agent has not begun the answer to the last one
}

// steer begins to give the agent steers, if it takes them.
func (d *delegation) steer(ctx context.Context) {
	if !d.agent.Info().Steers {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	g := &steerSender{d: d, wake: make(chan struct{}, 1), over: make(chan struct{}), done: make(chan struct{}), cancel: cancel}
	s := d.t.s
	s.mu.Lock()
	d.steering, d.t.slot.steering = g, g
	s.mu.Unlock()
	go g.run(ctx)
}

// notify has the goroutine look into the queue. A nil steerSender does nothing.
func (g *steerSender) notify() {
	if g == nil {
		return
	}
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// run gives the agent one steer after the other, until it works no more, or ctx ends.
func (g *steerSender) run(ctx context.Context) {
	defer close(g.done)
	for {
		if q, ok := g.next(); ok {
			p, err := g.d.t.s.promptOf(q)
			if err == nil {
				err = g.d.t.s.mayCall(ctx)
			}
			if err == nil {
				err = g.d.agent.Steer(ctx, p)
			}
			g.settle(q, err)
			continue
		}
		select {
		case <-g.wake:
		case <-g.over:
			return
		case <-ctx.Done():
			return
		}
	}
}

// next returns the steer to be given to the agent.
func (g *steerSender) next() (q event.Queued, ok bool) {
	t := g.d.t
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	select {
	case <-g.over:
		return q, false
	default:
	}
	waiting := t.s.fold.State.Steering
	oneByOne := t.s.opts.Steers&SteerOneByOne != 0 && (g.hold || len(g.backlog) > 0)
	if g.pause || oneByOne || len(waiting) <= len(g.backlog) || t.s.opts.Budget.Err() != nil {
		return q, false
	}
	q = waiting[len(g.backlog)] // those before are the ones that the agent has
	if hasImages(q.Blocks) && !g.d.agent.Info().Images {
		g.pause = true
		return q, false
	}
	t.slot.inFlight++
	return q, true
}

// settle takes what the agent has answered. Before it has reported anything of the turn, it may have refused only because that has not
// begun.
func (g *steerSender) settle(q event.Queued, err error) {
	t := g.d.t
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if err == nil {
		g.backlog = append(g.backlog, q)
		return
	}
	t.slot.inFlight--
	g.pause = true
}

// begin takes that the agent has reported something.
func (g *steerSender) begin() {
	if g == nil {
		return
	}
	s := g.d.t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if !g.active {
		g.active, g.pause = true, false
		g.notify()
	}
}

// answer takes that the agent begins an answer.
func (g *steerSender) answer() {
	if g == nil {
		return
	}
	s := g.d.t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	g.hold = false
	g.notify()
}

// record records the steers that the agent has as messages. It is called by the goroutine of the turn, between two answers.
func (g *steerSender) record() {
	if g == nil {
		return
	}
	t := g.d.t
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if len(g.backlog) == 0 {
		return
	}
	st := &t.s.fold.State
	events := []event.Event{event.QueueChanged{Steering: slices.Clone(st.Steering[len(g.backlog):]), FollowUps: st.FollowUps}}
	for _, q := range g.backlog {
		events = append(events, t.s.messagesOf(q, event.BySteer)...)
	}
	t.s.log.Append(t.id, events...)
	t.slot.inFlight -= len(g.backlog)
	g.backlog, g.hold = nil, true
	t.prolonged, t.reminded = 0, 0
	g.notify()
}

// finish waits for the answer of the agent to the steer that it is being given, and records those that it has.
func (g *steerSender) finish() {
	if g == nil {
		return
	}
	s := g.d.t.s
	s.mu.Lock()
	close(g.over)
	g.d.t.slot.steering = nil
	s.mu.Unlock()
	limit := time.AfterFunc(backend.Grace, g.cancel) // the agent may not answer any more
	<-g.done
	limit.Stop()
	g.cancel()
	g.record()
}

// steersOf returns the steers that wait, and those before them that the agent of a back end may have: they stay in the queue until they
// are messages.
func (s *Session) steersOf() (held, free []event.Queued) {
	all, n := s.fold.State.Steering, 0
	if s.slot != nil {
		n = s.slot.inFlight
	}
	return all[:n:n], all[n:]
}
