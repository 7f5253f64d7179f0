package engine

import (
	"cmp"
	"context"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// This file handles requests to the model that are no steps of a turn: first those that tool servers make while a call of them runs.

// maxSampledTokens bounds an answer to a server.
const maxSampledTokens = 4096

// sample sends a request of a tool server to the model of the turn; see tool.Hooks. What it uses
// counts as the session's.
func (t *turn) sample(ctx context.Context, call event.CallID, server string, req *model.Request) (*model.Response, error) {
	m, err := t.resolve()
	if err != nil {
		return nil, err
	}
	s := t.s
	if err := s.opts.Budget.Err(); err != nil {
		return nil, err
	}
	sent := *req
	sent.Model, sent.Thinking, sent.Ready = m.Info.ID, m.Info.Lowest(), s.log.Durable()
	sent.MaxTokens = min(cmp.Or(max(req.MaxTokens, 0), maxSampledTokens), maxSampledTokens, OutputCap(m.Info))
	r, err := s.respond(ctx, m, &sent)
	if err != nil {
		return nil, err
	}
	cost := cmp.Or(r.Cost, m.Info.Price.Cost(r.Usage))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Append(t.id, event.Sampled{Call: call, Server: server, Provider: m.Info.Provider, Model: m.Info.ID, Usage: r.Usage, Cost: cost})
	s.spend(t.id, r.Usage, cost)
	return r, nil
}

// respond sends a request to the model outside of the steps of a turn. The usage of the answer is estimated if the provider reports none.
func (s *Session) respond(ctx context.Context, m Model, req *model.Request) (*model.Response, error) {
	if err := s.mayWork(ctx); err != nil {
		return nil, err
	}
	for d, err := range m.Provider.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		if d.Kind != model.Done {
			continue
		}
		r := d.Response
		if r.Usage == (model.Usage{}) {
			r.Usage = estimateUsage(requestTokens(req), r.Message)
		}
		r.Model = cmp.Or(r.Model, m.Info.ID)
		return r, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, &model.Error{Kind: model.BrokenStream, Provider: m.Info.Provider, Message: "the stream ended before the answer did"}
}

// requestTokens estimates the tokens of the system prompt and the messages of a request.
func requestTokens(req *model.Request) int {
	bytes := len(req.System)
	for _, m := range req.Messages {
		bytes += session.MessageBytes(m)
	}
	return bytes / session.BytesPerToken
}
