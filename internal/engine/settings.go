package engine

import (
	"errors"
	"maps"
	"slices"

	"parley.dev/parley/internal/event"
)

// Change edits the settings; nothing is recorded if edit changes nothing. *LockedError while
// another process works on the session.
func (s *Session) Change(edit func(*event.Settings)) error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	s.change(edit)
	return nil
}

func (s *Session) change(edit func(*event.Settings)) {
	settings := cloneSettings(s.fold.State.Settings)
	edit(&settings)
	if !sameSettings(settings, s.fold.State.Settings) {
		if settings.Model != s.fold.State.Settings.Model {
			s.context.compactions = compactionTries{}
		}
		s.log.Append("", event.SessionChanged{Settings: settings})
	}
}

func cloneSettings(s event.Settings) event.Settings {
	s.ToolGroups = slices.Clone(s.ToolGroups)
	s.Options = maps.Clone(s.Options)
	s.Sandbox.Roots = slices.Clone(s.Sandbox.Roots)
	return s
}

func sameSettings(a, b event.Settings) bool {
	return a.Name == b.Name && a.Model == b.Model && a.Thinking == b.Thinking && a.Mode == b.Mode &&
		a.Asking == b.Asking && a.Sandbox.Equal(b.Sandbox) && a.Dir == b.Dir && a.SystemPrompt == b.SystemPrompt &&
		a.Instructions == b.Instructions && a.Archived == b.Archived && slices.Equal(a.ToolGroups, b.ToolGroups) &&
		maps.EqualFunc(a.Options, b.Options, slices.Equal)
}

// Override is Change that is not refused while another process works on the session: the
// edit counts at once in State, and is recorded when this process gets the lease, before
// anything else. ErrClosed, and what else keeps Change from writing.
func (s *Session) Override(edit func(*event.Settings)) error {
	err := s.Change(edit)
	if _, locked := errors.AsType[*LockedError](err); !locked {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.lease.overrides = append(s.lease.overrides, edit)
	return nil
}

func (s *Session) recordOverrides() {
	edits := s.lease.overrides
	s.lease.overrides = nil
	for _, edit := range edits {
		s.change(edit)
	}
}
