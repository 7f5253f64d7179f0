package engine

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
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

// KeepEnd is KeepEntry for the end of something that clients wait for. If it cannot be saved yet, they receive it without a number, and
// with its number when it is saved.
func (s *Session) KeepEnd(format string, data jsontext.Value) error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	e := event.Foreign{Format: format, Data: data.Clone()}
	s.log.Append("", e)
	if s.log.Failing() {
		s.log.ShowAhead(event.Record{Event: e})
	}
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

// AddHistory adds messages of users and of models to the history of an idle session; no turn begins. No client shows those of users as
// prompts. ErrTurnActive, ErrOfBackend, ErrClosed.
func (c *Client) AddHistory(messages []model.Message) error {
	s := c.session
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	switch {
	case s.slot != nil:
		return ErrTurnActive
	case s.fold.State.Settings.Backend != "":
		return ErrOfBackend
	}
	for _, m := range messages {
		blocks := s.log.StoreBlocks(m.Blocks)
		if m.Role == model.Assistant {
			s.log.Append("", event.AssistantMessage{ID: s.fold.NextMessage(), Blocks: blocks, Stop: model.StopEnd})
		} else {
			s.log.Append("", event.UserMessage{ID: s.newPromptID(), Via: event.ByEngine, Blocks: blocks})
		}
	}
	return nil
}
