package engine

import (
	"cmp"
	"context"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file handles requests to the model that clients make beside turns.

// A SampleRequest is a prompt that does not become part of the history.
type SampleRequest struct {
	Prompt   string
	Thinking model.Thinking // "": the session's
}

// Sample sends the history of an idle session with one more prompt to the model, and returns its answer. Neither becomes part of
// the history; what they use counts as the session's. The request begins as that of the next turn does, so that providers find it
// in their caches: tools are offered, and calls of them do not run. A turn may begin before Sample returns.
// ErrTurnActive, ErrOfBackend, ErrBudget, ErrNoFolder, ErrClosed, a *model.Error, or the cause of ctx.
func (c *Client) Sample(ctx context.Context, r SampleRequest) (*model.Response, error) {
	s := c.session
	if err := s.admitSample(); err != nil {
		return nil, err
	}
	m, err := s.host.cfg.Models.Resolve(s.State().Settings.Model)
	if err != nil {
		return nil, err
	}
	req, err := s.sampleRequest(ctx, m, r)
	if err != nil {
		return nil, err
	}
	answer, err := s.respond(ctx, m, req)
	if err != nil {
		return nil, err
	}
	cost := cmp.Or(answer.Cost, m.Info.Price.Cost(answer.Usage))
	if s.lockToWrite() == nil { // else the session is closed, or of another process
		defer s.unlock()
		s.log.Append(s.fold.State.Turn, event.Sampled{Provider: m.Info.Provider, Model: m.Info.ID, Usage: answer.Usage, Cost: cost})
		s.spend(s.fold.State.Turn, answer.Usage, cost)
	}
	return answer, nil
}

// admitSample returns why the session cannot be sampled now; nil: it can, and its folder is entered.
func (s *Session) admitSample() error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	switch {
	case s.slot != nil:
		return ErrTurnActive
	case s.fold.State.Settings.Backend != "":
		return ErrOfBackend
	}
	if err := s.opts.Budget.Err(); err != nil {
		return err
	}
	return s.enterDir()
}

func (s *Session) sampleRequest(ctx context.Context, m Model, r SampleRequest) (*model.Request, error) {
	messages := append(slices.Clip(s.messages(ctx, m, nil)), model.UserText(r.Prompt))
	system := s.systemPrompt(m.Info, "").text()
	s.mu.Lock()
	specs, _ := maxSpecs(s.specs(m.Info), m.MaxTools)
	thinking := cmp.Or(r.Thinking, s.fold.State.Settings.Thinking)
	s.mu.Unlock()
	return &model.Request{
		Model: m.Info.ID, System: system, Messages: messages, Tools: specs, MaxTokens: OutputCap(m.Info), Thinking: m.Info.Level(thinking),
		Reasons: len(m.Info.Thinking) > 0, Session: string(s.id), Ready: s.log.Durable(),
	}, s.fitPictures(messages, m)
}
