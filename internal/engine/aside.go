package engine

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
)

// Keep records an entry for a file of that format; models are not told of it. ErrClosed.
func (s *Session) Keep(format string, data jsontext.Value) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.append("", event.Foreign{Format: format, Data: data.Clone()})
	return nil
}

// Remark puts what nobody said into the history of an idle session; no turn begins.
// ErrTurnActive, ErrClosed.
func (s *Session) Remark(n Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.slot != nil:
		return ErrTurnActive
	}
	s.append("", event.UserMessage{ID: s.newPromptID(), Via: event.ByEngine, Blocks: s.keepBlocks(n.Blocks), Sent: n.Sent})
	return nil
}
