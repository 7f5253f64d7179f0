package engine

import (
	"context"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/background"
)

// This file reports the ends of background commands to the model, and shows those that run to clients.

// A BackgroundCommand is a command that a model has started, and that goes on without the call.
type BackgroundCommand struct {
	ID      string
	Call    event.CallID // that started it
	Command string       // shell text
	Dir     string       // where it was started
}

// BackgroundCommands returns the commands that run in the background, in the order of their starts.
func (c *Client) BackgroundCommands() (running []BackgroundCommand) {
	if all := backgroundOf(c.session); all != nil {
		for _, b := range all.List() {
			if b.Running() {
				running = append(running, BackgroundCommand{ID: b.ID, Call: event.CallID(b.Call), Command: b.Command, Dir: b.Dir.Path})
			}
		}
	}
	return running
}

// StopBackground ends a command that runs in the background, and waits for its end, or for ctx. It reports whether one of that id
// ran.
func (c *Client) StopBackground(ctx context.Context, id string) bool {
	all := backgroundOf(c.session)
	if all == nil {
		return false
	}
	for _, b := range all.List() {
		if b.ID == id && b.Running() {
			b.Stop(ctx)
			return true
		}
	}
	return false
}

// backgroundOf returns the background commands of a session; nil: it has none.
func backgroundOf(s *Session) *background.Commands {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.work.background
}

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
