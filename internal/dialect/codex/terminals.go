package codex

import (
	"context"
	"strings"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains the commands of the user, and those of models that go on in the background.

func terminalMethods() []handler {
	return []handler{
		on("thread/shellCommand", (*conn).threadShellCommand, checkShellCommand),
		on("thread/backgroundTerminals/list", (*conn).terminalsList),
		on("thread/backgroundTerminals/terminate", (*conn).terminalsTerminate),
		on("thread/backgroundTerminals/clean", (*conn).terminalsClean),
	}
}

func checkShellCommand(p *ThreadShellCommandParams) error {
	switch {
	case strings.TrimSpace(p.Command) == "":
		return problem("command", "must not be empty")
	case p.TimeoutMS != nil && *p.TimeoutMS < 1:
		return problem("timeoutMs", "must be at least 1")
	}
	return nil
}

// threadShellCommand runs a command of the user, as the person: without a sandbox (thread/shellCommand).
func (c *conn) threadShellCommand(ctx context.Context, id jsonrpc.ID, p *ThreadShellCommandParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	command := engine.UserCommand{ID: event.CommandID(c.cfg.NewID()), Line: p.Command, Unconfined: true}
	if p.TimeoutMS != nil {
		command.Limit = time.Duration(*p.TimeoutMS) * time.Millisecond
	}
	t.pump.Around(func() [][]byte {
		if err := t.client.StartCommand(command); err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		return [][]byte{resultLine(id, ThreadShellCommandResponse{})}
	})
}

// terminalsList lists the commands that run in the background (thread/backgroundTerminals/list).
func (c *conn) terminalsList(ctx context.Context, id jsonrpc.ID, p *ThreadBackgroundTerminalsListParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	var all []ThreadBackgroundTerminal
	for _, b := range t.client.BackgroundCommands() {
		all = append(all, ThreadBackgroundTerminal{ItemID: string(b.Call), ProcessID: b.ID, Command: b.Command, Cwd: b.Dir})
	}
	page, err := pageOf(all, p.Cursor, p.Limit, SortDirectionAsc, SortDirectionAsc, terminalsMost)
	if err != nil {
		c.fail(id, t.id, err)
		return
	}
	c.reply(id, ThreadBackgroundTerminalsListResponse{Data: page.data, NextCursor: page.next})
}

const terminalsMost = 100 // on a page

// stopping is how long a request waits for commands that it ends.
const stopping = 5 * time.Second

// terminalsTerminate ends a command that runs in the background (thread/backgroundTerminals/terminate).
func (c *conn) terminalsTerminate(ctx context.Context, id jsonrpc.ID, p *ThreadBackgroundTerminalsTerminateParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, stopping)
	defer cancel()
	c.reply(id, ThreadBackgroundTerminalsTerminateResponse{Terminated: t.client.StopBackground(ctx, p.ProcessID)})
}

// terminalsClean ends all of them (thread/backgroundTerminals/clean).
func (c *conn) terminalsClean(ctx context.Context, id jsonrpc.ID, p *ThreadBackgroundTerminalsCleanParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, stopping)
	defer cancel()
	for _, b := range t.client.BackgroundCommands() {
		t.client.StopBackground(ctx, b.ID)
	}
	c.reply(id, ThreadBackgroundTerminalsCleanResponse{})
}
