package acp

import (
	"context"
	"errors"
	"fmt"
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

const (
	startLimit = 30 * time.Second
	silence    = 10 * time.Minute
)

// A Backend starts the agents of one configuration.
type Backend struct{ o Options }

// New returns a Backend, which starts nothing yet.
func New(o Options) *Backend {
	if o.StartLimit == 0 {
		o.StartLimit = startLimit
	}
	if o.Silence == 0 {
		o.Silence = silence
	}
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
	within, cancel := context.WithTimeoutCause(ctx, b.o.StartLimit, errStart)
	defer cancel()
	if err := a.begin(within, o); err != nil {
		process.Kill()
		<-a.conn.Ended()
		if errors.Is(err, errStart) {
			err = process.Failure(backend.CodeStart, fmt.Sprintf("it was not ready after %s", b.o.StartLimit))
		}
		if failed, ok := errors.AsType[*backend.Error](err); ok && failed.Code == backend.CodeGone {
			failed.Code = backend.CodeStart
		}
		return nil, err
	}
	return a, nil
}

var errStart = errors.New("the agent is not ready")
