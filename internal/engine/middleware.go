package engine

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A Middleware stands around the calls of tools. Its methods may take their time: they are
// called by goroutines of the turn, and return soon after ctx has ended.
type Middleware interface {
	// BeforeCall is asked about a call that is approved, and has begun, before it does anything.
	BeforeCall(ctx context.Context, call model.Call) Ruling
	// AfterCall is asked about a call that has run, and gives the end that is recorded. What it
	// changes is what models and clients see; Call stays. The call has the input that ran.
	AfterCall(ctx context.Context, call model.Call, ended event.ToolEnded) event.ToolEnded
}

// A Ruling is what becomes of a call that was about to run.
type Ruling struct {
	Refused bool
	Reason  string         // of a refusal, for the model
	Input   jsontext.Value // what the call runs with in the place of its own input; nil: that
}

// NoticeRewritten is the code of the Notice that a call runs with another input than the
// model's; its text has the call and the input.
const NoticeRewritten = "call_rewritten"

// reconsider asks the middleware about a call. One with another input is prepared anew, and
// what it needs is decided anew, by hooks and by people: nothing runs that was not allowed as it is.
func (t *turn) reconsider(ctx context.Context, c model.Call, r running) (running, *answer) {
	ruling := t.rule(ctx, c)
	switch {
	case ctx.Err() != nil:
		return r, nil // the call is told interrupted
	case ruling.Refused:
		return r, &answer{by: event.ByPolicy, reason: ruling.Reason}
	case ruling.Input == nil:
		return r, nil
	}
	c.Input = ruling.Input
	input, denied := t.askAgain(ctx, c)
	switch {
	case ctx.Err() != nil:
		return r, nil
	case denied != nil:
		return r, denied
	}
	c.Input = input
	prepared, err := t.prepare(r.bound, c)
	if err != nil {
		return r, &answer{by: event.ByFault, reason: err.Error()}
	}
	req := prepared.Request()
	req.Tool = c.Name
	a := t.approve(ctx, event.CallID(c.ID), prepared, req, c.Input, nil)
	if !a.allowed {
		return r, &a
	}
	rewritten := running{c, r.bound, prepared, req, t.hooks(event.CallID(c.ID), a)} // locks the session
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	err = t.s.log.Commit(t.id, event.Notice{Level: event.Info, Code: NoticeRewritten, Text: fmt.Sprintf("%s runs with %s", c.ID, c.Input)})
	if err != nil {
		return r, &answer{by: event.ByFault, reason: "not run: " + err.Error()}
	}
	return rewritten, nil
}

// rule asks the middleware before a call. A panic in it refuses.
func (t *turn) rule(ctx context.Context, c model.Call) (ruling Ruling) {
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("ask about", c.Name, p)
			ruling = Ruling{Refused: true, Reason: fmt.Sprintf("what was asked about the call failed inside: %v", p)}
		}
	}()
	return t.s.opts.Middleware.BeforeCall(ctx, c)
}

// reviewed is the end of a call as the middleware wants it. A panic in it changes nothing.
func (t *turn) reviewed(ctx context.Context, c model.Call, e event.ToolEnded) (changed event.ToolEnded) {
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("review", c.Name, p)
			changed = e
		}
	}()
	changed = t.s.opts.Middleware.AfterCall(ctx, c, e)
	changed.Call = e.Call
	return changed
}
