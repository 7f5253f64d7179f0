package acp

import (
	"context"
	"encoding/base64"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// An agent is a session of an agent.
type agent struct {
	backend *Backend
	conn    *rpc.Conn
	process *backend.Process
	id      string
	info    backend.Info
	spent   float64 // the agent's running sum of costs, US dollars
	closed  atomic.Bool
}

// ID implements backend.Agent.
func (a *agent) ID() string { return a.id }

// Info implements backend.Agent.
func (a *agent) Info() backend.Info { return a.info }

// Alive implements backend.Agent.
func (a *agent) Alive() bool { return !a.closed.Load() && a.conn.Alive() }

// Close implements backend.Agent.
func (a *agent) Close() {
	a.closed.Store(true)
	a.process.Close()
	<-a.conn.Ended()
}

// Steer implements backend.Agent: the protocol has no message for it.
func (a *agent) Steer(context.Context, backend.Prompt) error { return backend.ErrUnsupported }

// Compact implements backend.Agent: the protocol has no message for it.
func (a *agent) Compact(context.Context) (string, error) { return "", backend.ErrUnsupported }

// Turn implements backend.Agent.
func (a *agent) Turn(ctx context.Context, p backend.Prompt) iter.Seq2[backend.Update, error] {
	return func(yield func(backend.Update, error) bool) {
		frames, leave := a.conn.Enter()
		defer leave()
		t := &turn{agent: a, yield: yield, calls: map[string]*call{}, held: time.NewTimer(holdFor)}
		t.held.Stop()
		defer t.held.Stop()
		var err error
		if t.prompt, err = a.conn.Send("session/prompt", promptParams{a.id, contentsOf(p.Blocks)}); err != nil {
			yield(nil, err)
			return
		}
		loop := backend.Loop[rpc.Frame]{
			Process: a.process, Frames: frames, Take: t.take, Waits: func() bool { return t.asks.Load() > 0 }, Silence: a.backend.o.Silence,
			Interrupt: func() error { return a.conn.Notify("session/cancel", cancelParams{a.id}) },
			Timer:     t.held.C, Expired: t.release,
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

// A turn is a prompt that the agent works on.
type turn struct {
	agent   *agent
	prompt  jsonrpc.ID // of the request
	yield   func(backend.Update, error) bool
	calls   map[string]*call
	pending *call        // was reported, and is yielded when more of it comes, or something else
	held    *time.Timer  // until it is yielded anyway
	asks    atomic.Int64 // permissions that wait
	over    bool         // nothing more is yielded
}

// holdFor is how long a call is held back that was reported without its input: many agents send that next.
const holdFor = 100 * time.Millisecond

// send yields an update.
func (t *turn) send(u backend.Update, err error) {
	if !t.over && !t.yield(u, err) {
		t.over = true
	}
}

// end yields the end of the turn, given the answer to the prompt.
func (t *turn) end(f rpc.Frame) error {
	t.release()
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
