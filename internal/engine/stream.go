package engine

import (
	"context"
	"fmt"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// streamed is what became of one model call.
type streamed struct {
	said     model.Accumulator // everything that came, also when the call failed
	begun    bool              // the provider sent something
	shown    bool              // followers saw a part of the answer
	calls    []shownCall       // in the order their starts came
	response *model.Response   // nil iff err or cut is set or ctx ended
	err      error

	cut        *Objection  // why the answer was left in its midst
	objections []Objection // that did not cut it
}

// shownCall is the id under which the deltas of a call were shown.
type shownCall struct {
	block int
	id    event.CallID
}

// callID is the session's id of the n-th call of the answer: the one its deltas were shown
// under, else a fresh one.
func (r *streamed) callID(f *fold, n int, provider string) event.CallID {
	if n < len(r.calls) {
		return r.calls[n].id
	}
	return f.newCall(event.CallID(provider))
}

// blockCall is the id of the call whose input a delta of block belongs to; "" if none.
func (r *streamed) blockCall(block int) event.CallID {
	for _, c := range r.calls {
		if c.block == block {
			return c.id
		}
	}
	return ""
}

// newCall is id unless that is empty or used, in which case it is call_<n>; it is used from now on.
func (f *fold) newCall(id event.CallID) event.CallID {
	for n := len(f.callIDs) + 1; id == "" || f.callIDs[id]; n++ {
		id = event.CallID(fmt.Sprintf("call_%d", n))
	}
	f.callIDs[id] = true
	return id
}

// dropCalls frees the ids of calls that were shown and are void.
func (f *fold) dropCalls(calls []shownCall) {
	for _, c := range calls {
		delete(f.callIDs, c.id)
	}
}

// nextMessage is the id of the answer that comes next.
func (f *fold) nextMessage() event.MessageID {
	return event.MessageID(fmt.Sprintf("m-%d", f.answers+1))
}

// stream makes one model call and shows its deltas. It returns when the call is over: on
// the last delta, on a failure, or soon after ctx ends.
func (t *turn) stream(ctx context.Context, m Model, req *model.Request, id event.MessageID) (r streamed) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	look := t.watch()
	for d, err := range m.Provider.Stream(ctx, req) {
		switch {
		case err != nil:
			r.err = err
			return r
		case ctx.Err() != nil:
			return r
		case d.Kind == model.Done:
			r.response = d.Response
		default:
			r.begun = true
			r.said.Add(d)
			piece := t.showDelta(&r, id, d)
			if r.look(look, piece); r.cut != nil {
				return r
			}
		}
	}
	if r.response == nil && ctx.Err() == nil {
		r.err = &model.Error{Kind: model.BrokenStream, Provider: m.Info.Provider, Message: "the stream ended before the answer did"}
	}
	return r
}

// showDelta is what it showed; nil: nothing.
func (t *turn) showDelta(r *streamed, id event.MessageID, d model.Delta) (piece event.Event) {
	switch d.Kind {
	case model.TextDelta:
		if d.Text != "" {
			r.shown = true
			piece = event.TextDelta{Message: id, Block: d.Block, Text: d.Text}
			t.show(piece)
		}
	case model.ThinkingDelta:
		if d.Text != "" {
			r.shown = true
			piece = event.ThinkingDelta{Message: id, Block: d.Block, Text: d.Text, Summary: d.Summary}
			t.show(piece)
		}
	case model.ToolCallStart:
		r.shown = true
		t.s.mu.Lock()
		call := t.s.fold.newCall(event.CallID(d.CallID))
		r.calls = append(r.calls, shownCall{d.Block, call})
		piece = event.ToolInputDelta{Message: id, Block: d.Block, Call: call, Name: d.Name}
		t.s.showLocked(t.id, piece)
		t.s.mu.Unlock()
	case model.ToolInputDelta:
		if call := r.blockCall(d.Block); call != "" {
			piece = event.ToolInputDelta{Message: id, Block: d.Block, Call: call, Text: d.Text}
			t.show(piece)
		}
	}
	return piece
}
