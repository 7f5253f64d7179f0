package engine

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"unicode/utf8"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// streamed is the result of one model call.
type streamed struct {
	said     model.Accumulator // everything that came, also when the call failed
	begun    bool              // the provider sent something
	shown    bool              // followers saw text or a call
	thought  bool              // followers saw reasoning
	calls    []shownCall       // in the order their starts came
	response *model.Response   // nil iff err or cut is set or ctx ended
	err      error

	grown *growth // of it

	cut        *Violation  // why the answer was left in its midst
	objections []Violation // that did not cut it
}

// shownCall is the id under which the deltas of a call were shown.
type shownCall struct {
	block int
	id    event.CallID
}

// callID returns the session's id of the n-th call of the answer: the one its deltas were shown
// under, else a fresh one.
func (r *streamed) callID(f *session.Fold, n int, provider string) event.CallID {
	if n < len(r.calls) {
		return r.calls[n].id
	}
	return f.NewCall(event.CallID(provider))
}

// blockCall returns the id of the call whose input a delta of block belongs to; "" if none.
func (r *streamed) blockCall(block int) event.CallID {
	for _, c := range r.calls {
		if c.block == block {
			return c.id
		}
	}
	return ""
}

// stream makes one model call and shows its deltas. It returns when the call is over: on
// the last delta, on a failure, or soon after ctx ends.
func (t *turn) stream(ctx context.Context, m Model, req *model.Request, id event.MessageID) (r streamed) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	look := t.watch()
	r.grown = &growth{event: event.AnswerGrew{Message: id, Model: m.Info.ID, Restart: true}}
	defer r.grown.close(t)
	for d, err := range m.Provider.Stream(ctx, req) {
		if err == nil {
			_ = t.s.log.AwaitRoom(ctx) // it ends with ctx
		}
		switch {
		case err != nil:
			r.err = t.nameModel(err)
			return r
		case ctx.Err() != nil:
			return r
		case d.Kind == model.Done:
			r.response = d.Response
		case d.Kind == model.UsageDelta:
			t.show(event.RequestCounted{Tokens: d.Usage.Context()})
		case d.Kind == model.NoticeDelta:
			t.append(event.Notice{Level: event.Warning, Code: NoticeRequestChanged, Text: d.Text})
		default:
			first := !r.begun
			r.begun = true
			if d.Kind == model.ToolCallStart {
				d.Name = cmp.Or(d.Name, unnamedTool)
			}
			r.said.Add(d)
			for rest := d.Text; ; {
				d.Text, rest = splitDelta(rest)
				piece := t.showDelta(&r, id, d)
				if r.look(look, piece); r.cut != nil {
					return r
				}
				if rest == "" {
					break
				}
			}
			if first {
				runtime.Gosched() // followers send it before the turn reads on
			}
		}
	}
	if r.response == nil && ctx.Err() == nil {
		r.err = &model.Error{Kind: model.BrokenStream, Provider: m.Info.Provider, Message: "the stream ended before the answer did"}
	}
	return r
}

// unnamedTool is the name of a tool call that came without one.
const unnamedTool = "unnamed"

// maxDelta is the longest text of a delta that is shown, in bytes. JSON may write a byte as six, so
// that the line of a delta stays below 64 KiB, which some clients cannot read past.
const maxDelta = 8 << 10

// splitDelta divides text after at most maxDelta bytes, between runes.
func splitDelta(text string) (delta, rest string) {
	if len(text) <= maxDelta {
		return text, ""
	}
	n := maxDelta
	for n > maxDelta-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], text[n:]
}

// nameModel adds the name of the turn's model to an error that says that there is no such model.
func (t *turn) nameModel(err error) error {
	p, ok := errors.AsType[*model.Error](err)
	if !ok || p.Kind != model.ModelNotFound {
		return err
	}
	named := *p
	named.Model = cmp.Or(t.model, t.s.host.DefaultModel())
	return &named
}

// showDelta returns what it showed; nil: nothing.
func (t *turn) showDelta(r *streamed, id event.MessageID, d model.Delta) (piece event.Event) {
	switch d.Kind {
	case model.TextDelta:
		if d.Text != "" {
			r.shown = true
			piece = event.TextDelta{Message: id, Block: d.Block, Text: d.Text}
			t.showText(r, piece, event.AnswerPiece{Block: d.Block, Text: d.Text})
		}
	case model.ThinkingDelta:
		if d.Text != "" {
			r.thought = true
			piece = event.ThinkingDelta{Message: id, Block: d.Block, Text: d.Text, Summary: d.Summary}
			t.showText(r, piece, event.AnswerPiece{Block: d.Block, Thinking: true, Summary: d.Summary, Text: d.Text})
		}
	case model.ToolCallStart:
		r.shown = true
		t.s.mu.Lock()
		call := t.s.fold.NewCall(event.CallID(d.CallID))
		r.calls = append(r.calls, shownCall{d.Block, call})
		piece = event.ToolInputDelta{Message: id, Block: d.Block, Call: call, Name: d.Name}
		t.s.log.Show(t.id, piece)
		t.s.mu.Unlock()
	case model.ToolInputDelta:
		if call := r.blockCall(d.Block); call != "" {
			piece = event.ToolInputDelta{Message: id, Block: d.Block, Call: call, Text: d.Text}
			t.show(piece)
		}
	}
	return piece
}

// showText shows a piece of the answer, and keeps it for the journal.
func (t *turn) showText(r *streamed, piece event.Event, p event.AnswerPiece) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.log.Show(t.id, piece)
	r.grown.add(t, p)
}
