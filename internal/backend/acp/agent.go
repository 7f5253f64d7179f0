package acp

import (
	"context"
	"encoding/base64"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// An agent is a session of an agent.
type agent struct {
	backend *Backend
	conn    *conn
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
func (a *agent) Alive() bool {
	select {
	case <-a.conn.ended:
		return false
	default:
		return !a.closed.Load()
	}
}

// Close implements backend.Agent.
func (a *agent) Close() {
	a.closed.Store(true)
	a.process.Close()
	<-a.conn.ended
}

// Turn implements backend.Agent.
func (a *agent) Turn(ctx context.Context, p backend.Prompt) iter.Seq2[backend.Update, error] {
	return func(yield func(backend.Update, error) bool) {
		in, leave := a.conn.enter()
		defer leave()
		answer, err := a.conn.ask("session/prompt", promptParams{a.id, contentsOf(p.Blocks)})
		if err != nil {
			yield(nil, err)
			return
		}
		t := &turn{agent: a, yield: yield, calls: map[string]*call{}}
		t.run(ctx, in, answer)
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
	agent *agent
	yield func(backend.Update, error) bool
	calls map[string]*call
	held  *call        // was reported, and is yielded when more of it comes, or something else
	asks  atomic.Int64 // permissions that wait
	over  bool         // nothing more is yielded
}

// holdFor is how long a call is held back that was reported without its input: many agents send that next.
const holdFor = 100 * time.Millisecond

// run yields what comes until the answer of the prompt, or until the agent cannot go on.
func (t *turn) run(ctx context.Context, in *inbox, answer <-chan response) {
	quiet := time.NewTimer(t.agent.backend.o.Silence)
	defer quiet.Stop()
	held := time.NewTimer(holdFor)
	held.Stop()
	defer held.Stop()
	interrupted := ctx.Done()
	var limit <-chan time.Time // of an interrupted turn
	for !t.over {
		if t.held == nil {
			held.Stop()
		}
		select {
		case f := <-in.frames:
			quiet.Reset(t.agent.backend.o.Silence)
			before := t.held
			t.take(f)
			if t.held != nil && t.held != before {
				held.Reset(holdFor)
			}
		case r := <-answer:
			for more := true; more && !t.over; {
				select {
				case f := <-in.frames: // came before the answer
					t.take(f)
				default:
					more = false
				}
			}
			t.end(r)
			return
		case <-held.C:
			t.release()
		case <-quiet.C:
			if t.asks.Load() > 0 || limit != nil {
				quiet.Reset(t.agent.backend.o.Silence)
				continue
			}
			t.fail(t.agent.process.Failure(backend.CodeSilent, "it has said nothing for "+t.agent.backend.o.Silence.String()))
		case <-interrupted:
			interrupted = nil
			if t.agent.conn.notify("session/cancel", cancelParams{t.agent.id}) != nil {
				t.fail(context.Cause(ctx))
				return
			}
			timer := time.NewTimer(backend.Grace)
			defer timer.Stop()
			limit = timer.C
		case <-limit:
			t.fail(context.Cause(ctx))
		}
	}
}

// fail ends the turn and the agent.
func (t *turn) fail(err error) {
	t.agent.closed.Store(true)
	t.agent.process.Kill()
	t.send(nil, err)
	t.over = true
}

// send yields an update.
func (t *turn) send(u backend.Update, err error) {
	if !t.over && !t.yield(u, err) {
		t.over = true
	}
}

// end yields the end of the turn, given the answer of the prompt.
func (t *turn) end(r response) {
	t.release()
	if r.err != nil {
		err := t.agent.refused("session/prompt", r.err)
		if _, gone := errors.AsType[*backend.Error](r.err); gone {
			t.agent.closed.Store(true)
		}
		t.send(nil, err)
		return
	}
	var result promptResult
	if err := json.Unmarshal(r.result, &result); err != nil {
		t.fail(t.agent.process.Failure(backend.CodeProtocol, "its answer to session/prompt: "+err.Error()))
		return
	}
	end := backend.End{Reason: reasonOf(result.StopReason)}
	if u := result.Usage; u != nil {
		end.Usage = model.Usage{Input: u.InputTokens, Output: u.OutputTokens + u.ThoughtTokens, CacheRead: u.CachedReadTokens, CacheWrite: u.CachedWriteTokens, Thinking: u.ThoughtTokens}
	}
	t.send(end, nil)
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
