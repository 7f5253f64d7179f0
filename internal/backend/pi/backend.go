package pi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// Options are how pi is started.
type Options struct {
	Name    string // in the configuration, such as pi or pi:omp
	Program func(o backend.Opening) (backend.Program, error)
	Folder  string // of this program, absolute: the extension that pi loads is written there
	// StartLimit is how long pi may take until a session can be used; 0: 30 s. Silence is how long it may say nothing in a turn;
	// 0: 10 minutes.
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
	args, err := arguments(o)
	if err != nil {
		return nil, err
	}
	program, err := b.program(o, args)
	if err != nil {
		return nil, &backend.Error{Backend: b.o.Name, Code: backend.CodeStart, Message: err.Error()}
	}
	process, err := backend.Start(program)
	if err != nil {
		return nil, err
	}
	a := &agent{backend: b, conn: rpc.New(process, codec{}, nil), process: process, dir: o.Dir, home: variable(program.Env, "HOME")}
	if len(o.Servers) > 0 {
		a.notes = append(a.notes, backend.Note{Level: event.Warning, Code: "backend_server", Text: b.o.Name + " takes no tool servers: those of the session are not there."})
	}
	err = a.conn.Begin(ctx, b.o.StartLimit, func(within context.Context) error {
		if err := a.begin(within); err != nil {
			return err
		}
		if o.Session != "" && a.state.Messages == 0 {
			return backend.ErrGone
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// translated is the variable with which pi does not store what it has translated.
const translated = "JITI_FS_CACHE="

// program returns what is started. The extension is loaded as it was written: by default pi takes what it has once translated
// from the folder for temporary files, where a confined command may write.
func (b *Backend) program(o backend.Opening, args []string) (backend.Program, error) {
	program, err := b.o.Program(o)
	if err != nil {
		return program, err
	}
	path, err := writeGate(b.o.Folder)
	if err != nil {
		return program, fmt.Errorf("write its extension: %w", err)
	}
	program.Args = slices.Concat(program.Args, []string{"-e", path}, args)
	program.Env = slices.DeleteFunc(slices.Clone(program.Env), func(entry string) bool { return strings.HasPrefix(entry, translated) })
	program.Env = append(program.Env, translated+"false")
	return program, nil
}

// arguments returns what a session is begun with. The error is backend.ErrGone.
func arguments(o backend.Opening) (args []string, err error) {
	if provider, id, ok := strings.Cut(o.Model, "/"); ok {
		args = append(args, "--provider", provider, "--model", id)
	} else if o.Model != "" {
		args = append(args, "--model", o.Model)
	}
	if o.Thinking != "" {
		args = append(args, "--thinking", string(o.Thinking))
	}
	if o.Session != "" {
		s, err := readSession(o.Session)
		if err != nil || !s.answered {
			return nil, backend.ErrGone // pi would begin another one of that name
		}
		resume := "--session"
		if !sameFolder(s.dir, o.Dir) {
			resume = "--fork" // a copy that works in this folder: pi goes on in that of the session
		}
		args = append(args, resume, o.Session)
	}
	if o.Instructions != "" {
		args = append(args, "--append-system-prompt", o.Instructions)
	}
	return args, nil
}

// variable returns the value of a variable in an environment.
func variable(env []string, name string) (value string) {
	for _, entry := range env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// begin waits until pi has begun or resumed a session, and has loaded the extension.
func (a *agent) begin(ctx context.Context) error {
	frames, leave := a.conn.Enter()
	defer leave()
	id, _ := a.conn.Send("get_state", nil) // that the process has ended comes as a frame, with what it has written
	gated := false
	for {
		select {
		case f := <-frames:
			switch {
			case f.Method == "" && f.ID == id && f.Err == nil:
				if !gated {
					return a.process.Failure(backend.CodeProtocol, "it has not loaded the extension that holds the calls of tools")
				}
				return a.settled(f)
			case f.Method == "" && (f.ID == id || f.ID == ""):
				return a.refused("get_state", f.Err)
			case f.Request():
				a.conn.Refuse(f) // of another extension
			case f.Method == "extension_ui_request":
				var d dialog
				var g gateState
				if decode(f.Params, &d) && d.Key == gateStatus && decode([]byte(d.Status), &g) {
					gated, a.version = true, g.Version
				}
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// settled takes the first state of a session.
func (a *agent) settled(f rpc.Frame) error {
	if err := a.conn.Decode("get_state", f.Result, &a.state); err != nil {
		return err
	}
	if a.id = a.state.SessionFile; a.id == "" {
		return a.process.Failure(backend.CodeProtocol, "it stores no session: remove --no-session from its command")
	}
	return nil
}

// refused returns the error of a command that pi has refused.
func (a *agent) refused(command string, err error) error {
	failed, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return err
	}
	return a.process.Failure(backend.CodeRefused, command+" is refused: "+failed.Message)
}
