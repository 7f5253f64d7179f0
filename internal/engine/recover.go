package engine

import "parley.dev/parley/internal/event"

// closeInherited closes what the process that had the session before left open.
func (s *Session) closeInherited() error {
	turn := s.fold.State.Turn
	for _, e := range s.fold.Unclosed(event.OutcomeUnknown) {
		s.log.Append(turn, e)
	}
	if turn == "" {
		return nil
	}
	end := s.turnEnd(event.TurnInterrupted, nil)
	end.Heir = true
	return s.log.Commit(turn, end)
}
