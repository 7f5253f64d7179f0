package engine

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

//go:embed compact.md
var compactText string

const (
	summaryIntro  = "Summary of the conversation so far:\n\n"
	summaryTokens = 4096    // output cap of a summary
	resultExcerpt = 2 << 10 // how much of a tool result the summariser sees, in bytes
)

// Compact starts to summarise the history. It occupies the session when it returns, until
// wait does, and Interrupt ends it. ErrTurnActive, ErrBudget, or a model that cannot be called; wait
// gives ErrNothingToCompact, or, behind a CompactionStarted, ErrInterrupted, also where the Editor
// refuses, or the provider's error.
func (s *Session) Compact(guidance string) (wait func() (event.Compacted, error), err error) {
	m, err := s.host.cfg.Models.Resolve(s.State().Settings.Model)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	busy, err := s.occupy(cancel)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	var done event.Compacted
	var failed error
	go func() {
		defer cancel(nil)
		defer s.vacate(busy)
		done, failed = s.compact(ctx, "", m, event.CompactionStarted{Reason: event.CompactAsked}, guidance)
		if ctx.Err() != nil && !errors.Is(failed, ErrNothingToCompact) {
			done, failed = event.Compacted{}, context.Cause(ctx)
		}
	}()
	return func() (event.Compacted, error) {
		<-busy.done
		return done, failed
	}, nil
}

func (s *Session) occupy(cancel context.CancelCauseFunc) (*slot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.slot != nil:
		return nil, ErrTurnActive
	case s.budget.Err() != nil:
		return nil, s.budget.Err()
	}
	s.slot = &slot{cancel: cancel, done: make(chan struct{})}
	return s.slot, nil
}

func (s *Session) vacate(busy *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slot = nil
	close(busy.done)
	s.showLocked("", event.StatusChanged{Status: event.Idle})
	s.beginQueued()
}

// compact asks the model for a summary of the older history and records it.
func (s *Session) compact(ctx context.Context, turn event.TurnID, m Model, started event.CompactionStarted, guidance string) (event.Compacted, error) {
	s.mu.Lock()
	before := s.contextTokens()
	old, keptFrom := s.fold.cut(s.opts.Compact.keep(m.Info.ContextWindow))
	if len(old) == 0 && started.Reason == event.CompactAsked && len(s.fold.entries) > 1 {
		old, keptFrom = s.fold.entries, 0
	}
	s.mu.Unlock()
	if len(old) == 0 {
		return event.Compacted{}, ErrNothingToCompact
	}
	s.show(turn, started)
	s.show(turn, event.StatusChanged{Status: event.Compacting})
	draft, err := s.draft(ctx, Compacting{Reason: started.Reason, Guidance: guidance, KeptFrom: keptFrom, TokensBefore: before})
	if err != nil {
		return event.Compacted{}, err
	}
	done := event.Compacted{Reason: started.Reason, Summary: draft.Summary, KeptFrom: keptFrom, TokensBefore: before, Removed: len(old)}
	if draft.Summary == "" {
		answer, err := s.summarise(ctx, m, old, draft, guidance)
		if err != nil {
			return event.Compacted{}, err
		}
		done.Summary, done.Usage, done.Cost = answer.Message.Text(), answer.Usage, m.Info.Price.Cost(answer.Usage)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if draft.Summary != "" && draft.KeptFrom != nil {
		done.KeptFrom = *draft.KeptFrom
		done.Removed = len(s.fold.entries) - len(s.fold.keptFrom(done.KeptFrom))
	}
	done.TokensAfter = s.fold.sizeAfter(done)/bytesPerToken + s.fixedBytes/bytesPerToken
	s.append(turn, done)
	s.spend(turn, done.Usage, done.Cost)
	return done, nil
}

// summarise makes the model call. Nothing of it is shown.
func (s *Session) summarise(ctx context.Context, m Model, old []entry, draft Draft, guidance string) (*model.Response, error) {
	s.mu.Lock()
	text := s.fold.transcript(old, m.Info.ContextWindow*bytesPerToken/2)
	s.mu.Unlock()
	for _, more := range draft.Context {
		text += "\n\n" + more
	}
	if guidance != "" {
		text += "\n\nThe user asks the summary to: " + guidance
	}
	req := &model.Request{
		Model: m.Info.ID, System: draft.instructions(), Messages: []model.Message{model.UserText(text)},
		MaxTokens: min(summaryTokens, OutputCap(m.Info)), Ready: s.gate.opening(),
	}
	for d, err := range m.Provider.Stream(ctx, req) {
		if err != nil {
			return nil, fmt.Errorf("summary: %w", err)
		}
		if d.Kind != model.Done {
			continue
		}
		if strings.TrimSpace(d.Response.Message.Text()) == "" {
			return nil, fmt.Errorf("summary: the model wrote none")
		}
		if d.Response.Usage == (model.Usage{}) {
			d.Response.Usage = estimateUsage(len(text)/bytesPerToken, d.Response.Message)
		}
		return d.Response, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, &model.Error{Kind: model.BrokenStream, Provider: m.Info.Provider, Message: "the stream ended before the summary did"}
}

// cut divides the history: what a summary will stand for, and the record number of the
// first message that stays. The last message always stays; what stays before it is at most
// keep tokens, and never begins between a call and its result.
func (f *fold) cut(keep int) (old []entry, keptFrom uint64) {
	room := keep * bytesPerToken
	for i := len(f.entries) - 2; i >= 0; i-- {
		if room -= f.entryBytes(f.entries[i]); room < 0 {
			return f.entries[:i+1], f.entries[i+1].seq
		}
	}
	return nil, 0
}

func (f *fold) entryBytes(e entry) int {
	n := messageBytes(e.msg)
	for _, call := range e.msg.Calls() {
		n += resultBytes(f.results[event.CallID(call.ID)])
	}
	return n
}

// sizeAfter is the bytes of the history once c is applied.
func (f *fold) sizeAfter(c event.Compacted) int {
	n := len(summaryIntro) + len(c.Summary)
	for _, e := range f.keptFrom(c.KeptFrom) {
		n += f.entryBytes(e)
	}
	return n
}

// transcript is messages as text for the summariser, its oldest part left out beyond limit bytes.
func (f *fold) transcript(entries []entry, limit int) string {
	var b strings.Builder
	for _, e := range entries {
		for _, block := range e.msg.Blocks {
			switch block.Kind {
			case model.KindText:
				fmt.Fprintf(&b, "[%s]\n%s\n\n", e.msg.Role, block.Text)
			case model.KindImage:
				fmt.Fprintf(&b, "[%s]\n(an image)\n\n", e.msg.Role)
			case model.KindToolCall:
				r := f.results[event.CallID(block.Call.ID)]
				fmt.Fprintf(&b, "[tool %s]\n%s\n-> %s\n\n", block.Call.Name, excerpt(string(block.Call.Input)), excerpt(r.Text))
			}
		}
	}
	text := b.String()
	if len(text) > limit {
		text = "(older part left out)\n" + strings.ToValidUTF8(text[len(text)-limit:], "")
	}
	return text
}

func excerpt(text string) string {
	if len(text) <= resultExcerpt {
		return text
	}
	return strings.ToValidUTF8(text[:resultExcerpt], "") + fmt.Sprintf(" … (%d bytes in all)", len(text))
}
