package engine

import (
	"context"
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// This file contains the model call that writes a summary.

// The output cap of a summary, in tokens; reasoning counts, too.
const (
	summaryTokens          = 8192
	reasoningSummaryTokens = 16_384 // of a model that reasons
)

// summaryTries is how often a summary is requested, each time with half as much text.
const summaryTries = 4

// unfinishedTries is how often one is that ends without a whole summary.
const unfinishedTries = 2

// bytesPerTokenLeast is the fewest bytes that a token is taken to have where no provider has counted.
const bytesPerTokenLeast = 3

// summarise makes the model call; nothing of it is shown. It is made again with less text where it
// was refused as too long, and once where the answer is not a whole summary. The usage is of all calls.
func (s *Session) summarise(ctx context.Context, m Model, old []session.Entry, carry event.Carryover, draft CompactionDraft, guidance string) (r *model.Response, err error) {
	limit := s.summaryRoom(m.Info, draft)
	var usage model.Usage
	for tries, unfinished := 0, 0; ; {
		s.mu.Lock()
		text := s.fold.Transcript(old, carry, limit, session.ModelKey(m.Info))
		s.mu.Unlock()
		r, err = s.summariseText(ctx, m, text, draft, guidance)
		if r != nil {
			usage = usage.Add(r.Usage)
			r.Usage = usage
		}
		switch limit = min(limit, len(text)) / 2; {
		case err == nil || ctx.Err() != nil:
			return r, err
		case isKind(err, model.ContextTooLong):
			if limit < session.MinExcerpt {
				return r, err // the rest of the request is what is too long
			}
		case r != nil:
			if unfinished++; unfinished == unfinishedTries {
				return r, err
			}
		default:
			return r, err
		}
		if tries++; tries == summaryTries {
			return r, err
		}
	}
}

// summaryRoom returns how many bytes of text the request for a summary has room for.
func (s *Session) summaryRoom(info model.Info, draft CompactionDraft) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	perToken := float64(bytesPerTokenLeast)
	if all := s.context.fixedBytes + s.fold.Bytes; s.fold.Measured > 0 {
		perToken = 0.9 * min(max(float64(all)/float64(s.contextTokens()), 2), session.BytesPerToken)
	}
	tokens := info.ContextWindow - summaryCap(info) - len(draft.instructions())/bytesPerTokenLeast
	return int(perToken * float64(max(tokens, 0)))
}

// summaryCap returns the output cap of a summary.
func summaryCap(info model.Info) int {
	tokens := summaryTokens
	if len(info.Thinking) > 0 {
		tokens = reasoningSummaryTokens
	}
	return min(tokens, OutputCap(info))
}

// summariseText asks for a summary of text. The error of an answer that is not a whole summary comes
// with that answer.
func (s *Session) summariseText(ctx context.Context, m Model, text string, draft CompactionDraft, guidance string) (*model.Response, error) {
	for _, more := range draft.Context {
		text += "\n\n" + more
	}
	if guidance != "" {
		text += "\n\nThe user asks the summary to: " + guidance
	}
	req := &model.Request{
		Model: m.Info.ID, System: draft.instructions(), Messages: []model.Message{model.UserText(text)},
		MaxTokens: summaryCap(m.Info), Thinking: m.Info.Lowest(), Ready: s.log.Durable(),
	}
	if err := s.mayWork(ctx); err != nil {
		return nil, err
	}
	for d, err := range m.Provider.Stream(ctx, req) {
		if err != nil {
			return nil, fmt.Errorf("summary: %w", err)
		}
		if d.Kind != model.Done {
			continue
		}
		if d.Response.Usage == (model.Usage{}) {
			d.Response.Usage = estimateUsage(len(text)/session.BytesPerToken, d.Response.Message)
		}
		return d.Response, checkSummary(m.Info, d.Response, req.MaxTokens)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, &model.Error{Kind: model.BrokenStream, Provider: m.Info.Provider, Message: "the stream ended before the summary did"}
}

// checkSummary returns why an answer is not a whole summary, as a *model.Error.
func checkSummary(info model.Info, r *model.Response, maxTokens int) error {
	e := &model.Error{Kind: model.BrokenStream, Provider: info.Provider}
	switch {
	case r.Stop == model.StopRefused:
		e.Kind, e.Message = model.Rejected, "summary: the model refused to write it"
	case r.Stop == model.StopTokens:
		e.Message = fmt.Sprintf("summary: cut at the limit of %d tokens", maxTokens)
	case strings.TrimSpace(r.Message.Text()) == "":
		e.Message = "summary: the model wrote none"
	default:
		return nil
	}
	return e
}
