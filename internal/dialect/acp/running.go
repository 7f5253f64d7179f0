package acp

import (
	"context"

	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// running is the requests of the client that are not answered yet and can be cancelled. It is safe for concurrent use.
type running struct {
	mu     lock.Mutex
	cancel map[jsonrpc.ID]func()
}

func newRunning() *running { return &running{cancel: map[jsonrpc.ID]func(){}} }

// begin adds a request, which cancel ends.
func (r *running) begin(id jsonrpc.ID, cancel func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancel[id] = cancel
}

// done removes a request, which is answered.
func (r *running) done(id jsonrpc.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.cancel, id)
}

// end cancels a request, if it is not answered yet.
func (r *running) end(id jsonrpc.ID) {
	r.mu.Lock()
	cancel := r.cancel[id]
	r.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// later answers a request whose answer takes a while: others are handled meanwhile.
func (c *conn) later(session string, id jsonrpc.ID, work func(ctx context.Context) (any, error)) {
	ctx, cancel := context.WithCancel(c.life)
	c.running.begin(id, cancel)
	c.answering.Go(func() {
		defer cancel()
		result, err := work(ctx)
		c.running.done(id)
		switch {
		case ctx.Err() != nil:
			c.fail(id, errCancelled)
		case err != nil:
			c.failIn(session, id, err)
		default:
			c.reply(id, result)
		}
	})
}

// cancelRequest cancels a request ($/cancel_request).
func (c *conn) cancelRequest(p *CancelRequestParams) { c.running.end(jsonrpc.ID(p.RequestID)) }
