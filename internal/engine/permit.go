package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// This file handles approvals of what running calls cause besides what was approved of them.

// permit asks a user to approve what a running call causes; see tool.Hooks. The summary is the input
// of the request, too: some clients see nothing else of it. The request is of a
// level that no grant covers, and names no server, so that an answer for the session grants
// nothing.
func (t *turn) permit(ctx context.Context, call event.CallID, summary, reason string) error {
	s := t.s
	s.mu.Lock()
	if !s.approvals().Asks(s.fold.State.Settings) || s.refusesServers() || !s.attended() {
		s.mu.Unlock()
		return tool.ErrUnattended
	}
	if err := s.opts.Budget.Err(); err != nil {
		s.mu.Unlock()
		return err
	}
	if ctx.Err() != nil {
		s.mu.Unlock()
		return context.Cause(ctx)
	}
	input, err := json.Marshal(map[string]string{"request": summary}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		s.mu.Unlock()
		return err
	}
	name := s.fold.Open.Calls[call].Name
	request := approval.Request{Tool: name, Level: approval.Admin, Summary: summary}
	if text, refused := s.clients.refusals.find(refusal{request: request, input: input}); refused {
		s.mu.Unlock()
		return errors.New(text)
	}
	id, wait := t.requestApproval(event.ApprovalAsked{
		Call: call, Mode: s.fold.State.Settings.Mode, Reason: reason, Input: input, Request: request,
	})
	s.mu.Unlock()
	if a := t.awaitApproval(ctx, id, wait); !a.allowed {
		return errors.New(a.reason)
	}
	return nil
}

// asksForServers reports whether the user may be asked what tool servers want to know. The caller holds the session's lock.
func (s *Session) asksForServers() bool {
	asks := s.approvals().Asks(s.fold.State.Settings) || s.opts.QuestionsOnly && s.opts.Profile == s.fold.State.Profile
	return asks && !s.refusesServers()
}

// refusesServers reports whether tool servers cannot request anything of the user. The caller holds the session's lock.
func (s *Session) refusesServers() bool {
	return slices.Contains(s.fold.State.Settings.RefusedApprovals, approval.SubjectServer)
}

// An unattendedError says to the model why questions were not answered: no user can be asked.
type unattendedError struct{ error }

func (unattendedError) Is(target error) bool { return target == tool.ErrUnattended }
