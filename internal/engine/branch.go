package engine

import (
	"context"
	"fmt"

	"parley.dev/parley/internal/event"
)

// Branch moves the head of the history to any message, compaction or command of a user
// that the session ever had, by the number of its record; 0 empties the history. It says
// how many messages left it. ErrTurnActive, ErrBadHead.
func (s *Session) Branch(head uint64) (removed int, err error) {
	if err := s.lockToWrite(); err != nil {
		return 0, err
	}
	defer s.unlock()
	switch {
	case s.slot != nil:
		return 0, ErrTurnActive
	case head != 0 && !s.fold.HasNode(head):
		return 0, ErrBadHead
	}
	return s.moveHead(head)
}

// moveHead is Branch to a node, or 0. After an error nothing has changed.
func (s *Session) moveHead(head uint64) (removed int, err error) {
	s.context.compactions = compactionTries{}
	if s.fold.Holds(head) {
		removed = len(s.fold.Entries) - s.fold.CountTo(head)
		s.log.Append("", event.Branched{Head: head, Removed: removed})
		return removed, nil
	}
	ctx, cancel := s.host.storeContext(context.Background())
	defer cancel()
	loaded, err := s.fold.Reload(head, s.log.All(ctx), s.loadOutput)
	if err != nil {
		return 0, fmt.Errorf("go to record %d: %w", head, err)
	}
	removed = s.fold.Missing(loaded.Entries)
	s.log.Append("", event.Branched{Head: head, Removed: removed})
	s.fold.Adopt(loaded)
	return removed, nil
}
