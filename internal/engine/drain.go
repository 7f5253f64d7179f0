package engine

import (
	"context"
	"sync"
)

// Drain closes each open session as soon as it is idle, for all that have it open, and returns when it has closed all that
// were open. The error is the cause of ctx.
func (h *Host) Drain(ctx context.Context) error {
	h.finishing.Store(true)
	var waiting sync.WaitGroup
	for _, s := range h.all() {
		waiting.Go(func() {
			if s.Wait(ctx) != nil {
				return
			}
			if err := s.End(ctx, EndedByClosing); err != nil {
				h.cfg.Log.Error("session not closed", "session", s.id, "error", err)
			}
		})
	}
	waiting.Wait()
	return context.Cause(ctx)
}
