package engine

import (
	"context"
	"sync"
)

// A gate is closed while the disk is waited for. What is recorded then must not be told yet,
// neither to followers nor to the model.
type gate struct {
	mu   sync.Mutex
	shut chan struct{} // closed when the gate opens; nil: it is open
}

// close closes the gate; open opens it, unless it was closed again meanwhile: who closed it
// last waits for a disk that has everything from before.
func (g *gate) close() (open func()) {
	shut := make(chan struct{})
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.shut == shut {
			g.shut = nil
		}
		close(shut)
	}
}

// opening is closed when everything is on disk that was recorded before; nil: it is.
func (g *gate) opening() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

// wait returns when everything is on disk that was recorded before, or with the cause of ctx.
func (g *gate) wait(ctx context.Context) error {
	shut := g.opening()
	if shut == nil {
		return nil
	}
	select {
	case <-shut:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
