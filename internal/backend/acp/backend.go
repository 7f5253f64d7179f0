package acp

import (
	"cmp"
	"context"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
)

// Options are how an agent is started.
type Options struct {
	Name    string // in the configuration, such as acp:claude
	Program func(o backend.Opening) (backend.Program, error)
	Mode    string // id of the agent's mode; "": the first of askingModes that it has
	Version string // of this program
	// StartLimit is how long the agent may take until a session can be used; 0: 30 s. Silence is how long it may say nothing
	// in a turn; 0: 10 minutes.
	StartLimit, Silence time.Duration
}

// A Backend starts the agents of one configuration.
type Backend struct{ o Options }

// New returns a Backend, which starts nothing yet.
func New(o Options) *Backend {
	o.StartLimit = cmp.Or(o.StartLimit, backend.StartLimit)
	o.Silence = cmp.Or(o.Silence, backend.Silence)
	return &Backend{o}
}

// Open implements backend.Backend.
func (b *Backend) Open(ctx context.Context, o backend.Opening) (backend.Agent, error) {
	program, err := b.o.Program(o)
	if err != nil {
		return nil, &backend.Error{Backend: b.o.Name, Code: backend.CodeStart, Message: err.Error()}
	}
	process, err := backend.Start(program)
	if err != nil {
		return nil, err
	}
	a := &agent{backend: b, conn: rpc.New(process, rpc.Options(true), refuse), process: process}
	a.conn.Observe(a.observe)
	if err := a.conn.Begin(ctx, b.o.StartLimit, func(within context.Context) error { return a.begin(within, o) }); err != nil {
		return nil, err
	}
	return a, nil
}
