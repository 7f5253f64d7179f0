package codex

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// busyWait is how long to wait for a thread that another process of codex has open, before it is asked again: one that was
// killed may take a moment to end.
const busyWait = 100 * time.Millisecond

// openThread begins a thread, or resumes the one of the opening. The sandbox is not given here but with each turn: with it the
// agent would trust the folder, and run what the configuration of a project says.
func (a *agent) openThread(ctx context.Context, o backend.Opening) error {
	p := threadParams{
		ThreadID: o.Session, Cwd: o.Dir, Model: o.Model, ApprovalPolicy: a.approvalPolicy(o.Asking), DeveloperInstructions: o.Instructions,
		Config: a.serverConfig(o.Servers),
	}
	method := "thread/start"
	if o.Session != "" {
		method, p.ExcludeTurns = "thread/resume", true
	} else {
		p.ThreadSource = "parley"
	}
	var result threadResult
	err := a.conn.Call(ctx, method, p, &result)
	for busy(err) {
		select {
		case <-time.After(busyWait):
		case <-ctx.Done():
			return a.refused(method, err)
		}
		again := a.conn.Call(ctx, method, p, &result)
		if again != nil && ctx.Err() != nil {
			return a.refused(method, err) // the answer that came says more than the end of ctx
		}
		err = again
	}
	switch {
	case o.Session != "" && gone(err):
		return backend.ErrGone
	case err != nil:
		return a.refused(method, err)
	case result.Thread.ID == "":
		return a.process.Failure(backend.CodeProtocol, "its answer to "+method+" has no thread")
	}
	a.id, a.model, a.effort = result.Thread.ID, result.Model, result.ReasoningEffort
	return nil
}

// busy reports whether a thread is open in another process.
func busy(err error) bool { return refusedFor(err, "already has an active writer") }

// gone reports whether the agent does not have a thread.
func gone(err error) bool {
	return refusedFor(err, "no rollout found", "thread not found", "invalid session id", "invalid thread id")
}

func refusedFor(err error, texts ...string) bool {
	failed, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(failed.Message, text) })
}

// serverConfig returns the configuration of tool servers. The agent does not speak the older transport.
func (a *agent) serverConfig(servers []backend.Server) map[string]any {
	all := map[string]any{}
	for _, s := range servers {
		switch {
		case s.Command != "":
			all[s.Name] = map[string]any{"command": s.Command, "args": slices.Concat([]string{}, s.Args), "env": s.Env}
		case s.SSE:
			a.notes = append(a.notes, "codex cannot use the tool server "+s.Name+": its transport is HTTP with SSE")
		default:
			all[s.Name] = map[string]any{"url": s.URL, "http_headers": s.Headers}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return map[string]any{"mcp_servers": all}
}

// Fork implements backend.Agent. The copy is closed at once, so that another process can resume it.
func (a *agent) Fork(ctx context.Context, prompts int) (string, error) {
	if prompts < 0 {
		return "", backend.ErrUnsupported
	}
	next, has, err := a.promptAt(ctx, prompts)
	if err != nil {
		return "", err
	}
	if has < prompts && prompts != backend.AllPrompts {
		return "", backend.ErrUnsupported // it does not have so many
	}
	p := threadParams{ThreadID: a.id, BeforeTurnID: next, ExcludeTurns: true, Config: map[string]any{"thread_unload_delay_secs": 0}}
	var result threadResult
	if err := a.conn.Call(ctx, "thread/fork", p, &result); err != nil {
		return "", a.refused("thread/fork", err)
	}
	if err := a.conn.Call(ctx, "thread/unsubscribe", threadID{result.Thread.ID}, nil); err != nil {
		return "", a.refused("thread/unsubscribe", err)
	}
	return result.Thread.ID, nil
}

// promptAt returns the id of the turn of a prompt, 0 is the first, and how many prompts there are before it; "": there is no
// such prompt. Turns without a message of the user, such as those of compactions, do not count.
func (a *agent) promptAt(ctx context.Context, n int) (turn string, before int, err error) {
	p := turnsParams{ThreadID: a.id, SortDirection: "asc", ItemsView: "summary"}
	for {
		var page turnsResult
		if err := a.conn.Call(ctx, "thread/turns/list", p, &page); err != nil {
			return "", 0, a.refused("thread/turns/list", err)
		}
		for _, t := range page.Data {
			if !slices.ContainsFunc(t.Items, func(i item) bool { return i.Type == "userMessage" }) {
				continue
			}
			if before == n {
				return t.ID, before, nil
			}
			before++
		}
		if p.Cursor = page.NextCursor; p.Cursor == "" {
			return "", before, nil
		}
	}
}
