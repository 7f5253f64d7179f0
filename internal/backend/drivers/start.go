package drivers

import (
	"context"
	"sync"
)

// starts has the first agent of each back end start alone. A program that runs for the first time, or the first time in a new version,
// sets up its files, and two of them at once can fail in that: opencode 1.18.33 creates the tables of its database in both.
// Only the first start is waited for, whether it succeeds or not, so that a program that hangs delays the others once.
type starts struct {
	mu    sync.Mutex
	first map[string]chan struct{} // closed when the first start of that back end has ended
}

// begin returns when an agent of a back end may start, and the function to call when it has started or failed; the cause of ctx
// when that ends first.
func (s *starts) begin(ctx context.Context, name string) (end func(), err error) {
	first, begun := s.of(name)
	if !begun {
		return func() { close(first) }, nil
	}
	select {
	case <-first:
		return func() {}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// of returns the channel of a back end, and whether its first start has begun; it begins with this call otherwise.
func (s *starts) of(name string) (first chan struct{}, begun bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil {
		s.first = map[string]chan struct{}{}
	}
	if first, begun = s.first[name]; !begun {
		first = make(chan struct{})
		s.first[name] = first
	}
	return first, begun
}
