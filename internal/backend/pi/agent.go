package pi

import (
	"context"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/model"
)

// An agent is a session of pi.
type agent struct {
	backend *Backend
	conn    *rpc.Conn
	process *backend.Process
	id      string // path of the file with the session
	version string
	dir     string // where it works
	home    string // for paths with ~
	state   state
	notes   []backend.Note // for the next turn
	closed  atomic.Bool

	mu   sync.Mutex
	turn *turn // that runs; nil: none does
}

// ID implements backend.Agent.
func (a *agent) ID() string { return a.id }

// Info implements backend.Agent.
func (a *agent) Info() backend.Info {
	return backend.Info{
		Program: "pi", Version: a.version, Images: a.state.Model.images(),
		Resumes: true, Steers: true, Compacts: true, Forks: true,
	}
}

// Alive implements backend.Agent.
func (a *agent) Alive() bool { return !a.closed.Load() && a.conn.Alive() }

// Close implements backend.Agent.
func (a *agent) Close() {
	a.closed.Store(true)
	a.process.Close()
	<-a.conn.Ended()
}

// end ends the agent where it is in no state to go on.
func (a *agent) end() {
	a.closed.Store(true)
	a.process.Kill()
}

// Compact implements backend.Agent. An interrupted one ends the agent: pi has no command that stops it.
func (a *agent) Compact(ctx context.Context) (string, error) {
	var done compactResult
	if err := a.command(ctx, "compact", nil, &done); err != nil {
		if ctx.Err() != nil {
			a.end()
		}
		return "", err
	}
	return done.Summary, nil
}

// Turn implements backend.Agent.
func (a *agent) Turn(ctx context.Context, p backend.Prompt) iter.Seq2[backend.Update, error] {
	return func(yield func(backend.Update, error) bool) {
		frames, leave := a.conn.Enter()
		defer leave()
		t := newTurn(a, yield)
		a.setTurn(t)
		defer a.setTurn(nil)
		defer t.close()
		for _, n := range a.notes {
			t.send(n, nil)
		}
		a.notes = nil
		var err error
		if t.prompt, err = a.conn.Send("prompt", promptOf(p)); err != nil {
			t.send(nil, err)
			return
		}
		loop := backend.Loop[rpc.Frame]{
			Process: a.process, Frames: frames, Take: t.take, Waits: t.waits, Silence: a.backend.o.Silence,
			Interrupt: t.interrupt, Timer: t.again.C, Expired: t.settle,
		}
		if err := loop.Run(ctx); err != nil {
			a.closed.Store(true)
			t.send(nil, err)
		}
	}
}

func (a *agent) setTurn(t *turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn = t
}

// Steer implements backend.Agent. Once pi has the prompt, only the end of its process lets Steer return without the answer.
func (a *agent) Steer(ctx context.Context, p backend.Prompt) error {
	a.mu.Lock()
	t := a.turn
	a.mu.Unlock()
	if t == nil || ctx.Err() != nil {
		return backend.ErrUnsupported
	}
	queue, ok := t.beginSteer()
	if !ok {
		return backend.ErrUnsupported
	}
	defer t.endSteer()
	params, command := promptOf(p), "steer"
	if !queue {
		params.Streaming, command = "steer", "prompt"
	}
	return a.command(context.WithoutCancel(ctx), command, params, nil)
}

// promptOf returns a prompt as pi takes it.
func promptOf(p backend.Prompt) promptParams {
	var texts []string
	params := promptParams{}
	for _, b := range p.Blocks {
		switch {
		case b.Kind == model.KindText:
			texts = append(texts, b.Text)
		case b.Kind == model.KindImage && b.Image != nil:
			params.Images = append(params.Images, image{"image", b.Image.Data, b.Image.MIME})
		}
	}
	params.Message = strings.Join(texts, "\n\n")
	return params
}
