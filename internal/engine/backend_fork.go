package engine

import (
	"context"
	"errors"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/session"
)

// This file contains how an agent's session goes on whose history was left at an earlier place, or that belongs to the session that
// this one was made of: the agent makes a copy of its beginning. Where it cannot, a new session receives the conversation as text.

// forkAgent returns the id of a copy of the session of an agent that has its first prompts only; "": there is none. The error is the
// cause of ctx.
func forkAgent(ctx context.Context, a backend.Agent, known session.BackendSession, prompts int) (id string, err error) {
	if !known.Forkable() || !a.Info().Forks {
		return "", nil
	}
	id, err = a.Fork(ctx, prompts)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil || id == known.Session {
		return "", nil // a new session receives the conversation as text
	}
	return id, nil
}

// forkStored is forkAgent for a session whose agent does not run: one is started for it, which gets no prompt.
func (s *Session) forkStored(ctx context.Context, driver backend.Backend, want backend.Opening, known session.BackendSession) (id string, err error) {
	if !known.Forkable() {
		return "", nil
	}
	prompts := known.Prompts()
	if known.Copied && s.parentHas(ctx, known) {
		prompts = backend.AllPrompts
	}
	want.Session = known.Session
	a, err := driver.Open(ctx, want)
	if errors.Is(err, backend.ErrGone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer a.Close()
	return forkAgent(ctx, a, known, prompts)
}

// parentHas reports whether the session that this one was forked from has no more prompts in the agent's session than this one has. Some
// agents can copy a session only as it is.
func (s *Session) parentHas(ctx context.Context, known session.BackendSession) bool {
	f := session.New()
	for rec, err := range s.host.recordsOf(ctx, s.State().Parent, 1) {
		if err != nil {
			return false
		}
		f.Apply(rec)
	}
	parent := f.Backend
	return f.State.Turn == "" && parent.Session == known.Session && !parent.Fork && parent.Forkable() && parent.Prompts() == known.Prompts()
}
