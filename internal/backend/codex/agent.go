package codex

import (
	"context"
	"encoding/base64"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/model"
)

// An agent is a thread of codex.
type agent struct {
	backend  *Backend
	conn     *rpc.Conn
	process  *backend.Process
	id       string // of the thread
	info     backend.Info
	model    string   // in use, unless the settings have one
	effort   string   // in use, unless the settings have one; "": not known
	roots    []string // further folders of the session
	confined bool     // its process is
	settings backend.Settings
	next     turnParams // what turns are sent with, but for their input
	models   []backend.Model
	total    tokens          // of the thread, as far as reported
	notes    []string        // for the user, in the next turn
	noted    map[string]bool // the warnings that the user has got
	closed   atomic.Bool

	mu      sync.Mutex
	current *runningTurn // nil: no turn runs
}

// A runningTurn is the agent's turn for a prompt.
type runningTurn struct {
	id    string
	known chan struct{} // closed when id is set, or never will be
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

// Turn implements backend.Agent.
func (a *agent) Turn(ctx context.Context, p backend.Prompt) iter.Seq2[backend.Update, error] {
	return func(yield func(backend.Update, error) bool) {
		frames, leave := a.conn.Enter()
		defer leave()
		t := newTurn(a, yield)
		defer t.close()
		params := a.next
		params.ClientUserMessageID, params.Input = p.ID, inputOf(p.Blocks)
		var err error
		if t.request, err = a.conn.Send("turn/start", params); err != nil {
			yield(nil, err)
			return
		}
		t.noteAll()
		loop := backend.Loop[rpc.Frame]{
			Process: a.process, Frames: frames, Take: t.take, Waits: func() bool { return t.asks.Load() > 0 }, Silence: a.backend.o.Silence,
			Interrupt: t.interrupt, Timer: t.idle.C, Expired: t.readEnd,
		}
		if err := loop.Run(ctx); err != nil {
			a.closed.Store(true)
			t.send(nil, err)
		}
	}
}

// inputOf returns a prompt as the agent takes it.
func inputOf(blocks []model.Block) []userInput {
	all := []userInput{}
	for _, b := range blocks {
		switch {
		case b.Kind == model.KindText:
			all = append(all, userInput{Type: "text", Text: b.Text})
		case b.Kind == model.KindImage && b.Image != nil:
			all = append(all, userInput{Type: "image", URL: "data:" + b.Image.MIME + ";base64," + base64.StdEncoding.EncodeToString(b.Image.Data)})
		}
	}
	return all
}

// Steer implements backend.Agent.
func (a *agent) Steer(ctx context.Context, p backend.Prompt) error {
	a.mu.Lock()
	running := a.current
	a.mu.Unlock()
	if running == nil {
		return a.process.Failure(backend.CodeRefused, "no turn runs that could be steered")
	}
	select {
	case <-running.known:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	steer := steerParams{ThreadID: a.id, ClientUserMessageID: p.ID, Input: inputOf(p.Blocks), ExpectedTurnID: running.id}
	if err := a.conn.Call(ctx, "turn/steer", steer, nil); err != nil {
		return a.refused("turn/steer", err)
	}
	return nil
}

// newTurn returns a turn that has not begun.
func newTurn(a *agent, yield func(backend.Update, error) bool) *turn {
	t := &turn{agent: a, yield: yield, running: &runningTurn{known: make(chan struct{})}, calls: map[string]*call{}, idle: time.NewTimer(0)}
	t.idle.Stop()
	a.mu.Lock()
	a.current = t.running
	a.mu.Unlock()
	return t
}

// close makes the turn one that cannot be steered any more.
func (t *turn) close() {
	t.idle.Stop()
	t.identify("")
	t.agent.mu.Lock()
	t.agent.current = nil
	t.agent.mu.Unlock()
}
