package pi

import (
	"context"
	"fmt"
	"os"

	"parley.dev/parley/internal/backend"
)

// Fork implements backend.Agent. Prompts that pi has not accepted do not count. It goes on with this session afterwards; if that
// fails, the agent has ended.
func (a *agent) Fork(ctx context.Context, prompts int) (session string, err error) {
	s, err := readSession(a.id)
	if err != nil || prompts <= 0 {
		return "", backend.ErrUnsupported
	}
	if prompts > len(s.prompts) && prompts != backend.AllPrompts {
		return "", a.process.Failure(backend.CodeRefused, fmt.Sprintf("its session has %d prompts, not %d", len(s.prompts), prompts))
	}
	var done cancelledResult
	if prompts >= len(s.prompts) {
		err = a.command(ctx, "clone", nil, &done)
	} else {
		err = a.command(ctx, "fork", forkParams{s.prompts[prompts]}, &done)
	}
	if err == nil && done.Cancelled {
		err = a.process.Failure(backend.CodeRefused, "an extension does not let the session be copied")
	}
	if err != nil {
		return "", err
	}
	session, err = a.comeBack(ctx)
	if err != nil {
		a.end()
		return "", err
	}
	if _, err := os.Stat(session); err != nil {
		return "", backend.ErrUnsupported // without an answer pi stores nothing
	}
	return session, nil
}

// comeBack returns the session that pi is in, and has it go on in that of the agent, with the model of before: pi begins each with
// that of its command line.
func (a *agent) comeBack(ctx context.Context) (session string, err error) {
	var there, here state
	if err := a.command(ctx, "get_state", nil, &there); err != nil {
		return "", err
	}
	var done cancelledResult
	if err := a.command(ctx, "switch_session", switchParams{a.id}, &done); err != nil {
		return "", err
	}
	if err := a.command(ctx, "get_state", nil, &here); err != nil {
		return "", err
	}
	if done.Cancelled || here.SessionFile != a.id {
		return "", a.process.Failure(backend.CodeProtocol, "it does not return to its session")
	}
	before := a.state
	a.state = here
	if m := before.Model; m != nil && m.name() != here.Model.name() {
		if err := a.setModel(ctx, m.Provider, m.ID); err != nil {
			return "", err
		}
	}
	if before.ThinkingLevel != a.state.ThinkingLevel {
		return there.SessionFile, a.setThinking(ctx, before.ThinkingLevel)
	}
	return there.SessionFile, nil
}
