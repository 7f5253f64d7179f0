package streamtest

import (
	"context"
	"sync"
	"time"

	"parley.dev/parley/internal/stream"
)

// A Host is the way of one process to the server. It can be paused, as by SIGSTOP: then its calls neither
// begin nor end.
type Host struct {
	stream.Server
	sim *Server

	mu     sync.Mutex    // guards the rest
	resume chan struct{} // nil: the host is not paused
}

// Host returns a host whose calls go through a mutation of the server; nil: none.
func (s *Server) Host(mutate func(stream.Server) stream.Server) *Host {
	h := &Host{sim: s, Server: s}
	if mutate != nil {
		h.Server = mutate(s)
	}
	return h
}

// Pause pauses the host. A host that is paused already is not paused for longer.
func (h *Host) Pause(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.resume == nil {
		resume := make(chan struct{})
		h.resume = resume
		h.sim.later(d, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.resume = nil
			close(resume)
		})
	}
}

// Await waits while the host is paused, whatever time limits its callers have: a process that is stopped has no timers.
func (h *Host) Await() { _ = h.wait(h.sim.life) }

func (h *Host) wait(ctx context.Context) error {
	h.mu.Lock()
	resume := h.resume
	h.mu.Unlock()
	if resume == nil {
		return nil
	}
	select {
	case <-resume:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *Host) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	h.Await()
	defer h.Await()
	return h.Server.Publish(ctx, m, after)
}

func (h *Host) Last(ctx context.Context, subject string) (*stream.Message, error) {
	h.Await()
	defer h.Await()
	return h.Server.Last(ctx, subject)
}

// Subscribe subscribes to nothing: a subscription is only a hint.
func (h *Host) Subscribe(string, func(*stream.Message)) (func(), error) { return func() {}, nil }

func (h *Host) Serve(subject string, answer func([]byte) []byte) error {
	h.sim.mu.Lock()
	defer h.sim.mu.Unlock()
	h.sim.answers[subject] = responder{h, answer}
	return nil
}

// Send sends data, unless the host is paused: then it waits.
func (h *Host) Send(subject string, data []byte) error {
	h.Await()
	return h.sim.feed.Send(subject, data)
}

// Receive receives what is sent to a subject, also that which comes while the host is paused.
func (h *Host) Receive(subject string, received func([]byte)) (stop func(), err error) {
	return h.sim.feed.Receive(subject, func(data []byte) {
		h.Await()
		received(data)
	})
}
