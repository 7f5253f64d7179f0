package engine

import (
	"strings"

	"parley.dev/parley/internal/event"
)

// This file reports the ends of background commands to the model.

// backgroundNote returns the message for the model that background commands have ended, each once; nil: none has.
// It runs under the session's lock.
func (s *Session) backgroundNote() *event.ContextNote {
	if s.work.background == nil {
		return nil
	}
	ended := s.work.background.Ended()
	if len(ended) == 0 {
		return nil
	}
	return &event.ContextNote{Topic: event.NoteBackground, Text: "[Background commands have ended:\n" + strings.Join(ended, "\n") + "]"}
}

// noteBackground records the ends of background commands while the turn runs.
func (t *turn) noteBackground() {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if note := t.s.backgroundNote(); note != nil {
		t.s.log.Append(t.id, *note)
	}
}
