package engine

import (
	"context"
	"fmt"
	"iter"

	"parley.dev/parley/internal/event"
)

// Fork makes a session of the beginning of another: of all its records before the
// UserMessage of record before, and before the TurnStarted right in front of that; 0: of all
// that there are. Numbers, times and origins stay; the head is where that message was said.
// It is on disk when Fork returns. The source may be open here, or elsewhere, or not at all.
//
// It has the workspace and the settings that the source had then, but for its name and that
// it was archived; n.Workspace and n.Settings, where they are set, stand in their place.
// Prompts that waited are left behind; a turn that is cut is interrupted.
// ErrNoSession, ErrBadHead, ErrExists.
func (h *Host) Fork(ctx context.Context, source event.SessionID, before uint64, n NewSession, o Options) (*Session, error) {
	fork, err := h.fork(ctx, source, before, n, o)
	if err != nil {
		return nil, fmt.Errorf("fork session %s: %w", source, err)
	}
	return fork, nil
}

func (h *Host) fork(ctx context.Context, source event.SessionID, before uint64, n NewSession, o Options) (*Session, error) {
	if err := h.visible(ctx, source); err != nil {
		return nil, err
	}
	if err := h.checkPrompt(ctx, source, before); err != nil {
		return nil, err
	}
	if err := checkID(n.ID); err != nil {
		return nil, err
	}
	if !h.access.coversID(n.ID) {
		return nil, fmt.Errorf("%w: a new session", ErrOutside)
	}
	if n.Workspace != "" {
		workspace, err := h.admit(n.ID, n.Workspace)
		if err != nil {
			return nil, err
		}
		n.Workspace = workspace
	}
	n.Parent = source
	s, err := newSession(h, n.ID, o)
	if err != nil {
		return nil, err
	}
	in := intake{
		ctx: ctx, s: s, records: recordsBefore(h.recordsOf(ctx, source, 1), before),
		edit: func(rec *event.Record) error { return s.forked(rec, n) },
		blob: func(address string) ([]byte, error) { return h.Blob(ctx, source, address) },
	}
	return h.takeIn(in, func(s *Session) {
		if !sameSettings(n.Settings, event.Settings{}) {
			s.log.Append("", event.SessionChanged{Settings: n.Settings})
		}
	})
}

// checkPrompt returns an error if a record, unless it is 0, is not a UserMessage.
func (h *Host) checkPrompt(ctx context.Context, id event.SessionID, seq uint64) error {
	for rec, err := range h.recordsOf(ctx, id, max(seq, 1)) {
		if err != nil {
			return err
		}
		if _, said := rec.Event.(event.UserMessage); said || seq == 0 {
			return nil
		}
		break
	}
	return ErrBadHead
}

// forked makes a record one of the fork.
func (s *Session) forked(rec *event.Record, n NewSession) error {
	adapt := func(settings event.Settings) event.Settings {
		settings.Name, settings.Archived = "", false
		if n.Workspace != "" {
			settings.Dir = ""
		}
		return settings
	}
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		if err := checkVersion(*rec); err != nil {
			return err
		}
		workspace := e.Workspace
		if n.Workspace != "" {
			workspace = n.Workspace
		}
		n.Settings = adapt(e.Settings)
		*rec = s.created(n, workspace)
	case event.SessionChanged:
		rec.Event = event.SessionChanged{Settings: adapt(e.Settings)}
	case event.BackendOpened:
		e.Copied = true
		rec.Event = e
	}
	return nil
}

// recordsBefore returns records before the prompt of record before, and before the beginning of
// the turn that it starts; 0: all.
func recordsBefore(records iter.Seq2[event.Record, error], before uint64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		var begun *event.Record // a TurnStarted that may be its own
		for rec, err := range records {
			if err == nil && before != 0 && rec.Seq >= before {
				return
			}
			if begun != nil && !yield(*begun, nil) {
				return
			}
			begun = nil
			if _, ok := rec.Event.(event.TurnStarted); ok && err == nil {
				begun = &rec
				continue
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
		if begun != nil {
			yield(*begun, nil)
		}
	}
}
