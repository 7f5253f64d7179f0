package engine

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// This file routes text files and commands of tools through a client. What a call may do is decided first, as if there were
// no client.

type (
	// ClientFiles are text files as the client of a session has them.
	ClientFiles = tool.ClientFiles
	// ClientTerminals are the terminals of a session's client.
	ClientTerminals = tool.ClientTerminals
	// ClientTerminal is a terminal of a client with its one command.
	ClientTerminal = tool.ClientTerminal
	// TerminalCommand is a command for a terminal of a client.
	TerminalCommand = tool.TerminalCommand
	// TerminalExit is the end of a command in a terminal of a client.
	TerminalExit = tool.TerminalExit
	// TerminalOutput is the output of a command in a terminal of a client.
	TerminalOutput = tool.TerminalOutput
)

// A clientIO is the files and the terminals that clients have for tools; the lock of the session guards it.
type clientIO struct {
	files       ClientFiles
	filesOf     *Client // nil: of no client
	terminals   ClientTerminals
	terminalsOf *Client // nil: of no client
}

// UseFiles makes tools read and write text files through the client, from the next call on, until it detaches. It
// replaces the files of other clients; the zero value removes them. Subagents use them in the folder of the session. The
// client must be attached.
func (c *Client) UseFiles(files ClientFiles) error {
	if files.Read != nil {
		read := files.Read
		files.Read = func(ctx context.Context, path string) (string, error) {
			ctx, stop := c.untilDetached(ctx)
			defer stop()
			return read(ctx, path)
		}
	}
	if files.Write != nil {
		write := files.Write
		files.Write = func(ctx context.Context, path, text string) error {
			ctx, stop := c.untilDetached(ctx)
			defer stop()
			return write(ctx, path, text)
		}
	}
	return c.use(func(io *clientIO) { io.files, io.filesOf = files, c })
}

// UseTerminals makes commands that need not be confined run in terminals of the client, from the next call on, until it
// detaches. It replaces the terminals of other clients; nil removes them. Subagents do not use them, nor do commands in the
// background. The client must be attached.
func (c *Client) UseTerminals(terminals ClientTerminals) error {
	if terminals != nil {
		terminals = attachedTerminals{c, terminals}
	}
	return c.use(func(io *clientIO) { io.terminals, io.terminalsOf = terminals, c })
}

func (c *Client) use(set func(*clientIO)) error {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended != "":
		return ErrClosed
	case !c.answers:
		return errors.New("the client is not attached")
	}
	if c.attached == nil {
		c.attached, c.endAttached = context.WithCancel(context.Background())
	}
	set(&s.clients.io)
	return nil
}

// removeIO removes the files and terminals of the client, and ends the requests that wait for it. The caller holds the
// session's lock.
func (c *Client) removeIO() {
	if c.attached == nil {
		return
	}
	io := &c.session.clients.io
	if io.filesOf == c {
		io.files, io.filesOf = ClientFiles{}, nil
	}
	if io.terminalsOf == c {
		io.terminals, io.terminalsOf = nil, nil
	}
	c.endAttached()
}

// errDetached ends a request to a client.
var errDetached = errors.New("the client has left the session")

// untilDetached returns a context for a request to the client.
func (c *Client) untilDetached(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.attached, func() { cancel(errDetached) })
	return ctx, func() { stop(); cancel(nil) }
}

// attachedTerminals are the terminals of a client, whose requests end when it detaches.
type attachedTerminals struct {
	client    *Client
	terminals ClientTerminals
}

func (a attachedTerminals) Create(ctx context.Context, command TerminalCommand) (ClientTerminal, error) {
	ctx, stop := a.client.untilDetached(ctx)
	defer stop()
	terminal, err := a.terminals.Create(ctx, command)
	if err != nil {
		return nil, err
	}
	return attachedTerminal{terminal, a.client}, nil
}

type attachedTerminal struct {
	ClientTerminal
	client *Client
}

func (a attachedTerminal) Wait(ctx context.Context) (TerminalExit, error) {
	ctx, stop := a.client.untilDetached(ctx)
	defer stop()
	return a.ClientTerminal.Wait(ctx)
}

func (a attachedTerminal) Output(ctx context.Context) (TerminalOutput, error) {
	ctx, stop := a.client.untilDetached(ctx)
	defer stop()
	return a.ClientTerminal.Output(ctx)
}

func (a attachedTerminal) Kill(ctx context.Context) error {
	ctx, stop := a.client.untilDetached(ctx)
	defer stop()
	return a.ClientTerminal.Kill(ctx)
}

// clientFiles returns the files of the client for a call that is allowed, or may be.
func (s *Session) clientFiles() ClientFiles {
	if s.opts.files != nil {
		return s.opts.files()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clients.io.files
}

// previewFiles returns the files of the client for what is shown of a call before it is decided. If the call will be
// denied, there are none: its paths are not sent to a client.
func (t *turn) previewFiles(ctx context.Context, call event.CallID, req approval.Request, input jsontext.Value) ClientFiles {
	files := t.s.clientFiles()
	if files.Read == nil {
		return ClientFiles{}
	}
	s, confines := t.s, req.Command != "" && t.env.Confines()
	looks := t.env.TrustsCommand(req.Command)
	always := s.host.granted(t.env.Workspace.Dir())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients.grants.UseAlways(always)
	s.clients.refusals.lift(&s.clients.grants)
	if a, _, settled := t.settle(ctx, call, req, input, confines, looks); settled && !a.allowed {
		return ClientFiles{}
	}
	return files
}

// terminals returns the terminals of the client for a call that a allows; nil: there are none, or its command must be
// confined, though this machine may not be able to.
func (t *turn) terminals(a answer) ClientTerminals {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if !a.lifted && s.confines() && s.fold.State.Settings.Sandbox.Confining() {
		return nil
	}
	return s.clients.io.terminals
}
