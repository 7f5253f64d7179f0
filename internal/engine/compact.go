package engine

import (
	"cmp"
	"context"
	_ "embed"
	"errors"

	"parley.dev/parley/internal/event"
)

//go:embed compact.md
var compactText string

// Compact starts to summarise the history. It occupies the session when it returns, until the summary is
// recorded; wait returns when it is also stored. Interrupt ends it, as does the end of ctx, whose cause is the error then. ErrTurnActive,
// ErrBudget, or a model that cannot be called; wait returns ErrNothingToCompact, or, after a CompactionStarted, ErrInterrupted, also where a HistoryEditor
// refuses, the provider's error, or ErrUnsaved: the summary is recorded as soon as the journal can be written.
func (s *Session) Compact(ctx context.Context, guidance string) (wait func() (event.Compacted, error), err error) {
	if name := s.State().Settings.Backend; name != "" {
		return s.compactAgent(ctx, name)
	}
	m, err := s.host.cfg.Models.Resolve(s.State().Settings.Model)
	if err != nil {
		return nil, err
	}
	return s.startCompaction(ctx, s.opts.Budget.Err, func(ctx context.Context) (event.Compacted, error) {
		done, err := s.compact(ctx, "", m, event.CompactionStarted{Reason: event.CompactAsked}, guidance)
		if err == nil {
			s.compactionEnded(nil)
		}
		return done, err
	})
}

// CompactNoticed is Compact for clients that do not wait: ErrNothingToCompact is returned at once, and why a compaction failed
// is recorded as a notice, which every client can show. If it could not be saved the notice has no number. The error is also logged.
func (s *Session) CompactNoticed(ctx context.Context, guidance string, start func(func())) error {
	if s.nothingToCompact() {
		return ErrNothingToCompact
	}
	wait, err := s.Compact(ctx, guidance)
	if err != nil {
		return err
	}
	start(func() {
		_, err := wait()
		if err == nil {
			return
		}
		s.host.cfg.Log.Info("history not summarised", "session", s.id, "error", err)
		notice := event.Notice{Level: event.Warning, Code: NoticeCompactionFailed, Text: err.Error()}
		if errors.Is(err, ErrInterrupted) {
			notice = event.Notice{Level: event.Info, Code: NoticeCompactionInterrupted, Text: "the compaction was interrupted"}
		}
		if s.lockToWrite() != nil {
			return
		}
		defer s.unlock()
		if errors.Is(err, ErrUnsaved) && s.log.Failing() { // a summary that is recorded would contradict a notice after it
			s.log.ShowAhead(event.Record{Event: notice})
			return
		}
		s.log.Append("", notice)
	})
	return nil
}

// nothingToCompact reports whether a compaction of an idle session would end with ErrNothingToCompact: it has no history, or one
// message only.
func (s *Session) nothingToCompact() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slot == nil && s.ended == "" && s.fold.State.Settings.Backend == "" && len(s.fold.Entries) <= 1
}

// startCompaction starts what compacts, unless check, which runs under the session's lock, fails. It occupies the session as Compact does.
func (s *Session) startCompaction(ctx context.Context, check func() error, compact func(context.Context) (event.Compacted, error)) (wait func() (event.Compacted, error), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	busy, err := s.occupy(cancel, check)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	var done event.Compacted
	var failed error
	go func() {
		defer cancel(nil)
		defer s.vacate(busy)
		done, failed = compact(ctx)
		if ctx.Err() != nil && !errors.Is(failed, ErrNothingToCompact) {
			done, failed = event.Compacted{}, context.Cause(ctx)
		}
	}()
	return func() (event.Compacted, error) {
		<-busy.done
		if failed == nil && !s.log.Deferred() { // the session is idle now: clients that receive the summary can prompt at once
			return done, s.log.AwaitStored(context.WithoutCancel(ctx)) // the caller reports the end, which must not contradict the journal
		}
		return done, failed
	}, nil
}

// occupy makes the session busy with something that cancel ends, unless check, which runs under the session's lock, fails.
func (s *Session) occupy(cancel context.CancelCauseFunc, check func() error) (*slot, error) {
	if err := s.lockToWrite(); err != nil {
		return nil, err
	}
	defer s.unlock()
	if s.slot != nil {
		return nil, ErrTurnActive
	}
	if err := check(); err != nil {
		return nil, err
	}
	if err := s.saveAgain(); err != nil {
		return nil, err
	}
	s.slot = &slot{cancel: cancel, done: make(chan struct{})}
	s.log.SetBusy(true)
	return s.slot, nil
}

func (s *Session) vacate(busy *slot) {
	s.mu.Lock()
	defer s.unlock()
	s.slot = nil
	s.setBusy()
	close(busy.done)
	s.setStatus("", event.Idle)
	s.recordStartedCommands()
	s.beginAfter(busy, false)
}

// compact asks the model for a summary of the older history and records it.
func (s *Session) compact(ctx context.Context, turn event.TurnID, m Model, started event.CompactionStarted, guidance string) (event.Compacted, error) {
	s.mu.Lock()
	before := s.contextTokens()
	old, keptFrom := s.fold.Cut(s.compaction(m.Info).Keep)
	if len(old) == 0 && started.Reason == event.CompactAsked && len(s.fold.Entries) > 1 {
		old, keptFrom = s.fold.Entries, 0
	}
	if len(old) == 0 && started.Reason == event.CompactOverflow {
		old, keptFrom = s.fold.Cut(0)
	}
	s.mu.Unlock()
	if len(old) == 0 {
		return event.Compacted{}, ErrNothingToCompact
	}
	s.show(turn, started)
	s.showStatus(turn, event.Compacting)
	guidance, err := s.runCompactionHooks(ctx, turn, started.Reason, guidance)
	if err != nil {
		return event.Compacted{}, err
	}
	draft, err := s.draft(ctx, CompactionRequest{Reason: started.Reason, Guidance: guidance, KeptFrom: keptFrom, TokensBefore: before})
	if err != nil {
		return event.Compacted{}, err
	}
	done := event.Compacted{Reason: started.Reason, Summary: draft.Summary, KeptFrom: keptFrom, TokensBefore: before, Removed: len(old)}
	if draft.Summary == "" {
		s.mu.Lock()
		room := promptBytes(m.Info.ContextWindow, s.compaction(m.Info).Limit)
		if started.Reason == event.CompactOverflow {
			room /= 2 // the window may be smaller than it is taken to be
		}
		done.Carryover = s.carryover(old, room, m)
		s.mu.Unlock()
		answer, err := s.summarise(ctx, m, old, done.Carryover, draft, guidance)
		if answer != nil {
			done.Usage, done.Cost = answer.Usage, cmp.Or(answer.Cost, m.Info.Price.Cost(answer.Usage))
		}
		if err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.spend(turn, done.Usage, done.Cost)
			return event.Compacted{}, err
		}
		done.Summary = answer.Message.Text()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if draft.Summary != "" && draft.KeptFrom != nil {
		done.KeptFrom = *draft.KeptFrom
		done.Removed = len(s.fold.Entries) - len(s.fold.KeptFrom(done.KeptFrom))
	}
	done.TokensAfter = s.fold.TokensOf(s.context.fixedBytes, s.context.fixedBytes+s.fold.SizeAfter(done))
	s.log.Append(turn, done)
	s.work.project = projectMemory{} // it is read again
	s.spend(turn, done.Usage, done.Cost)
	return done, nil
}
