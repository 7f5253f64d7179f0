package drivers

import (
	"context"
	"sync"
)

// starts delays the agents of a back end until the first of them has started. A program that runs for the first time, or the first time
// in a new version, sets up its files, and two of them at once can fail: opencode 1.18.33 creates the tables of its database in both.
// Only the first start is waited for, whether it succeeds or not, so that a program that hangs delays the others once.
type starts struct {
	first sync.Map // by the name of the back end, a chan struct{} that is closed when its first start has ended
}

// begin blocks until an agent of a back end may start, and returns the function to call when it has started or failed. The only error
// is the cause of ctx.
func (s *starts) begin(ctx context.Context, name string) (end func(), err error) {
	stored, begun := s.first.LoadOrStore(name, make(chan struct{}))
	first := stored.(chan struct{})
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
