package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/wire/jsonrpc"
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

// askingModes are the names that agents have for the mode in which they ask before everything that changes something.
var askingModes = []string{"default", "ask", "manual"}

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

// begin shakes hands, and begins or resumes a session.
func (a *agent) begin(ctx context.Context, o backend.Opening) error {
	var hello initializeResult
	err := a.conn.Call(ctx, "initialize", initializeParams{ProtocolVersion: version, ClientInfo: program{"parley", "Parley", a.backend.o.Version}}, &hello)
	if err != nil {
		return a.refused("initialize", err)
	}
	if hello.ProtocolVersion != version {
		return a.process.Failure(backend.CodeProtocol, fmt.Sprintf("it speaks version %d of the Agent Client Protocol; this program speaks %d", hello.ProtocolVersion, version))
	}
	abilities := hello.AgentCapabilities
	a.info = backend.Info{
		Program: hello.AgentInfo.Name, Version: hello.AgentInfo.Version, Images: abilities.PromptCapabilities.Image,
		Resumes: abilities.LoadSession || abilities.SessionCapabilities.Resume != nil,
	}
	p := sessionParams{SessionID: o.Session, Cwd: o.Dir, MCPServers: []struct{}{}}
	method := "session/new"
	switch {
	case o.Session == "":
	case abilities.SessionCapabilities.Resume != nil:
		method = "session/resume"
	case abilities.LoadSession:
		method = "session/load" // what it replays is dropped: no turn runs
	default:
		return backend.ErrGone
	}
	var session sessionResult
	if err := a.conn.Call(ctx, method, p, &session); err != nil {
		if failed, ok := errors.AsType[*jsonrpc.Error](err); ok && o.Session != "" && failed.Code != codeAuthRequired {
			return backend.ErrGone
		}
		return a.refused(method, err)
	}
	if a.id = o.Session; a.id == "" {
		a.id = session.SessionID
	}
	if a.id == "" {
		return a.process.Failure(backend.CodeProtocol, "its answer to session/new has no sessionId")
	}
	return a.adjust(ctx, session, o)
}

// Offers implements backend.Agent.
func (a *agent) Offers(context.Context) (backend.Offers, error) {
	return backend.Offers{}, nil
}

// Change implements backend.Agent.
func (a *agent) Change(ctx context.Context, to backend.Settings) error {
	return backend.ErrUnsupported
}

// Fork implements backend.Agent.
func (a *agent) Fork(context.Context, int) (string, error) { return "", backend.ErrUnsupported }

// adjust sets the mode and the model of the session.
func (a *agent) adjust(ctx context.Context, session sessionResult, o backend.Opening) error {
	if want := a.modeOf(session.Modes); want != "" && want != session.Modes.CurrentModeID {
		if err := a.conn.Call(ctx, "session/set_mode", setModeParams{a.id, want}, nil); err != nil {
			return a.refused("session/set_mode", err)
		}
	}
	if o.Model != "" && (session.Models == nil || session.Models.CurrentModelID != o.Model) {
		if err := a.conn.Call(ctx, "session/set_model", setModelParams{a.id, o.Model}, nil); err != nil {
			return a.refused("session/set_model", err)
		}
	}
	return nil
}

// modeOf returns the id of the mode to set; "": none.
func (a *agent) modeOf(m *modes) string {
	if m == nil {
		return ""
	}
	wanted := askingModes
	if a.backend.o.Mode != "" {
		wanted = []string{a.backend.o.Mode}
	}
	for _, id := range wanted {
		if slices.ContainsFunc(m.AvailableModes, func(m mode) bool { return m.ID == id }) {
			return id
		}
	}
	return a.backend.o.Mode // the agent says what is wrong with it
}

// refused returns the error of a request that the agent has refused.
func (a *agent) refused(method string, err error) error {
	failed, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case !ok:
		return err
	case failed.Code == codeAuthRequired:
		return a.process.Failure(backend.CodeRefused, "it is not signed in: sign in with the agent itself, then try again ("+failed.Message+")")
	}
	return a.process.Failure(backend.CodeRefused, method+" is refused: "+failed.Message)
}
