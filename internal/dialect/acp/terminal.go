package acp

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
)

// This file lets tools run commands in terminals of the client.

// clientTerminals are the terminals of the client of a session.
type clientTerminals struct{ s *session }

// Create begins a command in a new terminal. One that the client makes after ctx has ended is released.
func (t clientTerminals) Create(ctx context.Context, c engine.TerminalCommand) (engine.ClientTerminal, error) {
	var environ []NameAndValue
	for _, entry := range c.Environ {
		name, value, _ := strings.Cut(entry, "=")
		environ = append(environ, NameAndValue{name, value})
	}
	created, err := awaitClient[CreateTerminalResult](ctx, t.s.conn, t.s.pump.Reply, clientRequest{
		method: "terminal/create",
		params: CreateTerminalParams{SessionID: t.s.id, Command: c.Program, Args: c.Args, Env: environ, Cwd: c.Dir, OutputByteLimit: c.OutputLimit},
		late:   t.releaseLate,
	})
	if err != nil {
		return nil, err
	}
	terminal := clientTerminal{s: t.s, id: created.TerminalID}
	var ok bool
	if terminal.end, ok = t.s.conn.openRequest(clientRequest{method: "terminal/wait_for_exit", params: terminal.params()}); !ok {
		_ = terminal.Release(ctx) // it is sent, and not answered
		return nil, errNoClient
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.exitRequests[terminal.id] = terminal.end
	return terminal, nil
}

// releaseLate releases a terminal that no command waits for. It does not wait for the response.
func (t clientTerminals) releaseLate(result jsontext.Value) {
	created, ok := decodeResult[CreateTerminalResult](result)
	if !ok {
		return
	}
	id := t.s.conn.requests.addUnanswered()
	t.s.pump.Reply(requestLine(id, "terminal/release", TerminalParams{t.s.id, created.TerminalID}))
}

// A clientTerminal is a terminal of the client with its command.
type clientTerminal struct {
	s   *session
	id  string
	end openRequest // for the end of the command; it is sent after the client was shown the terminal
}

func (t clientTerminal) ID() string { return t.id }

// Wait waits for the end of the command.
func (t clientTerminal) Wait(ctx context.Context) (engine.TerminalExit, error) {
	defer t.s.takeExitRequest(t.id)
	status, err := await[ExitStatus](ctx, t.s.conn, func(lines ...[]byte) {
		if t.s.takeExitRequest(t.id) == nil { // it was sent
			t.s.pump.Reply(lines...)
		}
	}, t.end)
	return exitOf(status), err
}

// takeExitRequest returns the request for the end of the command in a terminal, which the caller sends; nil if it was taken.
func (s *session) takeExitRequest(terminal string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.exitRequests[terminal]
	if !ok {
		return nil
	}
	delete(s.exitRequests, terminal)
	return r.line()
}

// Output returns what the command has written.
func (t clientTerminal) Output(ctx context.Context) (engine.TerminalOutput, error) {
	result, err := askClient[TerminalOutputResult](ctx, t.s, "terminal/output", t.params())
	output := engine.TerminalOutput{Text: result.Output, Truncated: result.Truncated}
	if result.ExitStatus != nil {
		exit := exitOf(*result.ExitStatus)
		output.Exit = &exit
	}
	return output, err
}

// Kill ends the command.
func (t clientTerminal) Kill(ctx context.Context) error { return t.order(ctx, "terminal/kill") }

// Release ends the use of the terminal.
func (t clientTerminal) Release(ctx context.Context) error { return t.order(ctx, "terminal/release") }

// order sends a request that is not withdrawn.
func (t clientTerminal) order(ctx context.Context, method string) error {
	_, err := awaitClient[Empty](ctx, t.s.conn, t.s.pump.Reply, clientRequest{method: method, params: t.params(), firm: true})
	return err
}

func (t clientTerminal) params() TerminalParams { return TerminalParams{t.s.id, t.id} }

// exitOf returns the end of a command.
func exitOf(status ExitStatus) engine.TerminalExit {
	exit := engine.TerminalExit{Code: -1}
	if status.Signal != nil {
		exit.Signal = *status.Signal
	}
	if status.ExitCode != nil && exit.Signal == "" {
		exit.Code = *status.ExitCode
	}
	return exit
}
