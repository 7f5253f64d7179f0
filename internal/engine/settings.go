package engine

import (
	"maps"
	"slices"

	"parley.dev/parley/internal/event"
)

// Change edits the settings; nothing is recorded if edit changes nothing. *LockedError while
// another process works on the session. ErrUnsaved, if it could not be saved the last time, nor can it now.
func (c *Client) Change(edit func(*event.Settings)) error {
	s := c.session
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	if err := s.saveAgain(); err != nil {
		return err
	}
	s.change(edit, c.who)
	return nil
}

func (s *Session) change(edit func(*event.Settings), client event.Client) {
	settings := cloneSettings(s.fold.State.Settings)
	edit(&settings)
	s.host.followModel(&settings, s.fold.State.Settings)
	if !sameSettings(settings, s.fold.State.Settings) {
		if settings.Model != s.fold.State.Settings.Model {
			s.context.compactions = compactionTries{}
		}
		s.log.Append("", event.SessionChanged{Settings: settings, Client: client})
	}
}

// Revert returns an edit that takes the change of settings from before to after back. What differs from after was changed since,
// and stays. What decides about approvals stays, or goes back, together.
func Revert(before, after event.Settings) func(*event.Settings) {
	return func(s *event.Settings) {
		revert(&s.Name, before.Name, after.Name)
		revert(&s.Model, before.Model, after.Model)
		revert(&s.Thinking, before.Thinking, after.Thinking)
		revert(&s.Dir, before.Dir, after.Dir)
		revert(&s.Archived, before.Archived, after.Archived)
		revert(&s.SystemPrompt, before.SystemPrompt, after.SystemPrompt)
		revert(&s.Instructions, before.Instructions, after.Instructions)
		revert(&s.Backend, before.Backend, after.Backend)
		if slices.Equal(s.ToolGroups, after.ToolGroups) {
			s.ToolGroups = slices.Clone(before.ToolGroups)
		}
		if s.Mode == after.Mode && s.Asking == after.Asking && s.Sandbox.Equal(after.Sandbox) && slices.Equal(s.RefusedApprovals, after.RefusedApprovals) {
			s.Mode, s.Asking, s.Sandbox, s.RefusedApprovals = before.Mode, before.Asking, before.Sandbox, slices.Clone(before.RefusedApprovals)
		}
		if maps.EqualFunc(s.Options, after.Options, slices.Equal) {
			s.Options = maps.Clone(before.Options)
		}
	}
}

// revert sets a value that is as after to before.
func revert[T comparable](value *T, before, after T) {
	if *value == after {
		*value = before
	}
}

func cloneSettings(s event.Settings) event.Settings {
	s.ToolGroups, s.RefusedApprovals = slices.Clone(s.ToolGroups), slices.Clone(s.RefusedApprovals)
	s.Options = maps.Clone(s.Options)
	s.Sandbox.Roots = slices.Clone(s.Sandbox.Roots)
	return s
}

func sameSettings(a, b event.Settings) bool {
	return a.Name == b.Name && a.Model == b.Model && a.Thinking == b.Thinking && a.Mode == b.Mode &&
		a.Asking == b.Asking && a.Backend == b.Backend && a.Sandbox.Equal(b.Sandbox) && a.Dir == b.Dir && a.SystemPrompt == b.SystemPrompt &&
		a.Instructions == b.Instructions && a.Archived == b.Archived && slices.Equal(a.ToolGroups, b.ToolGroups) && slices.Equal(a.RefusedApprovals, b.RefusedApprovals) &&
		maps.EqualFunc(a.Options, b.Options, slices.Equal)
}

// Override is Change that is not refused while another process works on the session: the
// edit counts at once in State, and is recorded when this process gets the lease, before
// anything else. ErrClosed, and what else keeps Change from writing.
func (c *Client) Override(edit func(*event.Settings)) error {
	err := c.Change(edit)
	if !isLocked(err) {
		return err
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != "" {
		return ErrClosed
	}
	s.lease.overrides = append(s.lease.overrides, override{edit, c.who})
	return nil
}

// An override is a change of settings that waits for the lease.
type override struct {
	edit   func(*event.Settings)
	client event.Client
}

func (s *Session) recordOverrides() {
	edits := s.lease.overrides
	s.lease.overrides = nil
	for _, o := range edits {
		s.change(o.edit, o.client)
	}
}

// changeBackend gives a session that another process has made the back end that the host has for it; one that is followed, with
// its next record. A session that was open here before has what a client has chosen since.
func (s *Session) changeBackend() {
	name := s.host.cfg.OpenedBackend
	if name == "" || s.opts.inner || !s.opened.foreign {
		return
	}
	edit := func(now *event.Settings) { now.Backend = name }
	if s.log.Leased() {
		s.change(edit, event.Client{})
		return
	}
	s.lease.overrides = append(s.lease.overrides, override{edit, event.Client{}})
}
