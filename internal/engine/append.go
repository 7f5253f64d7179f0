package engine

import (
	"context"
	"fmt"

	"parley.dev/parley/internal/event"
)

// This file is the only way into a session's state: number, write, fold, show, in that
// order. All of it runs under the session's lock.

// append records durable events. If the journal cannot be written they are kept in memory,
// a Notice says so once, and every later append tries again.
func (s *Session) append(turn event.TurnID, events ...event.Event) {
	records := s.number(turn, events)
	s.backlog = append(s.backlog, records...)
	var err error
	if s.log != nil {
		err = s.flush()
	}
	s.publish(records)
	s.report(err)
}

// commit is append that waits for the disk. If the journal cannot be written nothing is
// recorded, and the error wraps ErrUnsaved. If the write succeeds and only the wait for the
// disk fails, the events are recorded, and the Notice tells.
func (s *Session) commit(turn event.TurnID, events ...event.Event) error {
	records, err := s.write(turn, events)
	if err != nil {
		return err
	}
	err = s.log.Sync()
	s.publish(records)
	s.report(err)
	return nil
}

// commitAhead is commit that goes ahead of the disk: the events are recorded when it returns,
// and the turn goes on, while all who are to be told wait at the gate for the disk.
func (s *Session) commitAhead(turn event.TurnID, events ...event.Event) error {
	records, err := s.write(turn, events)
	if err != nil {
		return err
	}
	log, open := s.log, s.gate.close()
	go func() {
		defer open()
		if err := log.Sync(); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !s.closed { // closing tells itself what the disk says
				s.report(err)
			}
		}
	}()
	s.publish(records)
	return nil
}

// write brings events to the journal: all, or, with an error that wraps ErrUnsaved, none.
func (s *Session) write(turn event.TurnID, events []event.Event) ([]event.Record, error) {
	records := s.number(turn, events)
	mark := len(s.backlog)
	s.backlog = append(s.backlog, records...)
	if err := s.flush(); err != nil {
		s.backlog = s.backlog[:mark]
		return nil, unsaved(err)
	}
	return records, nil
}

// settle is commit for what has to be recorded: if the journal fails it waits in memory.
func (s *Session) settle(turn event.TurnID, e event.Event) {
	if err := s.commit(turn, e); err != nil {
		s.append(turn, e)
	}
}

func unsaved(err error) error { return fmt.Errorf("%w: %w", ErrUnsaved, err) }

func (s *Session) number(turn event.TurnID, events []event.Event) []event.Record {
	records := make([]event.Record, len(events))
	now := s.host.cfg.Now().UTC()
	for i, e := range events {
		records[i] = event.Record{Seq: s.fold.state.Head + uint64(i) + 1, Time: now, Turn: turn, Event: e}
	}
	return records
}

// report tells of the first of a row of failed writes; the Notice itself waits in the backlog.
func (s *Session) report(err error) {
	if err == nil || s.failing {
		return
	}
	s.failing = true
	s.host.cfg.Log.Error("journal write failed", "session", s.id, "error", err)
	notice := s.number("", []event.Event{event.Notice{Level: event.Failure, Code: NoticeUnsaved, Text: err.Error()}})
	s.backlog = append(s.backlog, notice...)
	s.publish(notice)
}

// flush writes the backlog. A session that has no journal yet gets one.
func (s *Session) flush() error {
	if s.log == nil {
		log, err := s.host.cfg.Store.Create(context.Background(), s.id, s.backlog[:1])
		if err != nil {
			return err
		}
		s.log, s.backlog = log, s.backlog[1:]
	}
	if len(s.backlog) == 0 {
		return nil
	}
	stored, err := s.storable(s.backlog)
	if err != nil {
		return err
	}
	if err := s.log.Append(s.backlog[0].Seq-1, stored); err != nil {
		return err
	}
	s.backlog, s.failing = nil, false
	return nil
}

// publish folds records and shows them to all followers.
func (s *Session) publish(records []event.Record) {
	for _, rec := range records {
		s.fold.apply(rec)
		for f := range s.followers {
			f.push(rec)
		}
	}
}

// show tells followers of a transient event. It takes the session's lock.
func (s *Session) show(turn event.TurnID, e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.showLocked(turn, e)
}

func (s *Session) showLocked(turn event.TurnID, e event.Event) {
	if len(s.followers) == 0 {
		return
	}
	rec := event.Record{Time: s.host.cfg.Now().UTC(), Turn: turn, Event: e}
	for f := range s.followers {
		f.push(rec)
	}
}
