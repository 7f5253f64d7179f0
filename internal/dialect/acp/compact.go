package acp

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// compact summarizes the history (the command compact).
func compact(ctx context.Context, s *session, id jsonrpc.ID, keep string) {
	done, started, err := s.sumUp(ctx, keep)
	switch {
	case errors.Is(err, engine.ErrNothingToCompact):
		s.say(id, "There is nothing to sum up yet.")
	case err == nil:
		s.say(id, fmt.Sprintf("Summed up: %d messages became a summary, about %d tokens of context became %d.", done.Removed, done.TokensBefore, done.TokensAfter))
	case ctx.Err() != nil || errors.Is(err, engine.ErrInterrupted):
		s.endCompaction(started, compactionCancelled, "")
		s.answerJob(id, s.cancelledLine(id))
	default:
		s.endCompaction(started, compactionFailed, oneLine(err.Error()))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.answerJob(id, s.refusal(id, err)...)
	}
}

// sumUp summarizes the history as soon as no turn runs. Started is closed when the client has been sent the beginning; nil: there was none.
func (s *session) sumUp(ctx context.Context, keep string) (done event.Compacted, started <-chan struct{}, err error) {
	for {
		started = s.watchCompaction()
		wait, err := s.eng.Compact(ctx, keep)
		switch {
		case errors.Is(err, engine.ErrTurnActive): // of another client, or of a steer
			_ = s.eng.Wait(context.Background())
			continue
		case err != nil:
			return done, nil, err
		}
		done, err = wait()
		return done, started, err
	}
}

// watchCompaction returns a channel that is closed when the next compaction has begun and its beginning was sent.
func (s *session) watchCompaction() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compactionStart = make(chan struct{})
	return s.compactionStart
}

// reported yields records, and reports the beginnings of compactions once they were sent.
func (s *session) reported(records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for rec, err := range records {
			if !yield(rec, err) {
				return
			}
			if _, begun := rec.Event.(event.CompactionStarted); begun && err == nil {
				s.compactionBegun()
			}
		}
	}
}

func (s *session) compactionBegun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compactionStart != nil {
		close(s.compactionStart)
		s.compactionStart = nil
	}
}

// endCompaction shows the end of a compaction that no record shows, after its beginning.
func (s *session) endCompaction(started <-chan struct{}, status, problem string) {
	if started == nil {
		return
	}
	select {
	case <-started:
	case <-s.done:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.out = nil
	s.view.endCompaction(status, problem)
	s.pump.Reply(s.linesOf(s.view.out)...)
}
