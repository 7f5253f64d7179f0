package acp

import (
	"context"
	"encoding/base64"
	"errors"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A turn is a prompt that the agent works on.
type turn struct {
	agent   *agent
	prompt  jsonrpc.ID // of the request
	yield   func(backend.Update, error) bool
	calls   map[string]*call
	pending []*call     // were reported, and are yielded when more of them comes
	held    *time.Timer // until those with an input are yielded anyway
	waiting atomic.Int64
	open    map[jsonrpc.ID]func() // withdraws a request of the agent that waits, unless it is answered
	summary []byte                // of a compaction, so far
	over    bool                  // nothing more is yielded

	replaced int // calls that the agent has changed while they ran
}

// holdFor is how long a call is held back: many agents report first that there is one, and then its input.
const holdFor = 100 * time.Millisecond

// Turn implements backend.Agent.
func (a *agent) Turn(ctx context.Context, p backend.Prompt) iter.Seq2[backend.Update, error] {
	return func(yield func(backend.Update, error) bool) {
		blocks := contentsOf(p.Blocks)
		if a.instructions != "" {
			blocks = append([]content{{Type: "text", Text: a.instructions}}, blocks...)
			a.instructions = ""
		}
		for _, n := range a.notes {
			if !yield(n, nil) {
				return
			}
		}
		a.notes = nil
		for u, err := range a.prompt(ctx, blocks) {
			if !yield(u, err) {
				return
			}
		}
	}
}

// prompt sends a prompt, and yields what comes of it.
func (a *agent) prompt(ctx context.Context, blocks []content) iter.Seq2[backend.Update, error] {
	return func(yield func(backend.Update, error) bool) {
		a.running.Store(true)
		defer a.running.Store(false)
		frames, leave := a.conn.Enter()
		defer leave()
		t := &turn{agent: a, yield: yield, calls: map[string]*call{}, open: map[jsonrpc.ID]func(){}, held: time.NewTimer(holdFor)}
		t.held.Stop()
		defer t.held.Stop()
		var err error
		if t.prompt, err = a.conn.Send("session/prompt", promptParams{a.ID(), blocks}); err != nil {
			yield(nil, err)
			return
		}
		if a.prompts >= 0 {
			a.prompts++
		}
		loop := backend.Loop[rpc.Frame]{
			Process: a.process, Frames: frames, Take: t.take, Waits: func() bool { return t.waiting.Load() > 0 }, Silence: a.backend.o.Silence,
			Interrupt: func() error { return a.conn.Notify("session/cancel", sessionID{a.ID()}) },
			Timer:     t.held.C, Expired: t.releaseKnown,
		}
		if err := loop.Run(ctx); err != nil {
			a.closed.Store(true)
			t.send(nil, err)
		}
	}
}

// contentsOf returns a prompt as the agent takes it.
func contentsOf(blocks []model.Block) []content {
	all := []content{}
	for _, b := range blocks {
		switch {
		case b.Kind == model.KindText:
			all = append(all, content{Type: "text", Text: b.Text})
		case b.Kind == model.KindImage && b.Image != nil:
			all = append(all, content{Type: "image", MIMEType: b.Image.MIME, Data: base64.StdEncoding.EncodeToString(b.Image.Data)})
		}
	}
	return all
}

// send yields an update.
func (t *turn) send(u backend.Update, err error) {
	if !t.over && !t.yield(u, err) {
		t.over = true
	}
}

// take yields what a frame reports. What cannot be read is left out: agents are newer than this program.
func (t *turn) take(f rpc.Frame) (over bool, err error) {
	switch f.Method {
	case "":
		if f.ID != t.prompt && f.ID != "" {
			return false, nil
		}
		return true, t.end(f)
	case "session/update":
		if u, ok := t.agent.updateOf(f); ok {
			t.update(u)
		}
	case "session/request_permission":
		t.ask(f)
	case "elicitation/create":
		t.elicit(f)
	case "$/cancel_request":
		var p cancelRequestParams
		if json.Unmarshal(f.Params, &p) == nil && t.open[p.id()] != nil {
			t.open[p.id()]()
		}
	default:
		if f.Request() {
			t.agent.conn.Refuse(f)
		}
	}
	return t.over, nil
}

// await stores that a request of the agent waits for an answer. The result sends the answer, once; withdraw sends the one of a
// request that the agent does not wait for any more.
func (t *turn) await(f rpc.Frame, withdrawn any) (answer func(result any)) {
	t.waiting.Add(1)
	var done atomic.Bool
	answer = func(result any) {
		if !done.Swap(true) {
			t.waiting.Add(-1)
			_ = t.agent.conn.Reply(f.ID, result) // the reader finds out that the process is gone
		}
	}
	t.open[f.ID] = func() { answer(withdrawn) }
	return answer
}

// end yields the end of the turn, given the answer to the prompt.
func (t *turn) end(f rpc.Frame) error {
	for _, c := range slices.Clone(t.pending) {
		t.release(c)
	}
	if f.Err != nil {
		err := t.agent.refused("session/prompt", f.Err)
		if failed, ok := errors.AsType[*backend.Error](err); ok && t.agent.conn.Alive() {
			t.send(backend.End{Reason: event.TurnFailed, Failure: failed}, nil)
			return nil
		}
		return err
	}
	var result promptResult
	if err := t.agent.conn.Decode("session/prompt", f.Result, &result); err != nil {
		return err
	}
	end := backend.End{Reason: reasonOf(result.StopReason)}
	if u := result.Usage; u != nil {
		end.Usage = model.Usage{Input: u.InputTokens, Output: u.OutputTokens + u.ThoughtTokens, CacheRead: u.CachedReadTokens, CacheWrite: u.CachedWriteTokens, Thinking: u.ThoughtTokens}
	}
	t.send(end, nil)
	return nil
}

func reasonOf(stop string) event.TurnReason {
	switch stop {
	case "max_tokens":
		return event.TurnMaxTokens
	case "max_turn_requests":
		return event.TurnStepLimit
	case "refusal":
		return event.TurnRefused
	case "cancelled":
		return event.TurnInterrupted
	}
	return event.TurnCompleted
}
