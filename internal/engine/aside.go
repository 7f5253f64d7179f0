package engine

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
)

// KeepEntry records an entry for a file of that format; models do not read it. ErrClosed.
func (s *Session) KeepEntry(format string, data jsontext.Value) error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	s.log.Append("", event.Foreign{Format: format, Data: data.Clone()})
	return nil
}

// AddMessage adds a message that is not of a user to the history of an idle session; no turn begins.
// ErrTurnActive, ErrClosed.
func (s *Session) AddMessage(n event.Note) error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	if s.slot != nil {
		return ErrTurnActive
	}
	s.log.Append("", event.UserMessage{ID: s.newPromptID(), Via: event.ByEngine, Blocks: s.log.StoreBlocks(n.Blocks), Sent: n.Sent})
	return nil
}
