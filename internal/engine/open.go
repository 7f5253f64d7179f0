package engine

import (
	"context"
	"errors"
	"fmt"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/sessionlog"
)

// Open brings a session back as it was. What a dead process left open is closed: its turn is
// interrupted, tools that had begun have an unknown outcome. While another process needs
// the session it is a *LockedError, or, with Options.FollowOthers, the session as it is so far.
// ErrNoSession, *DamageError, ErrTooManyOpen, ErrUnavailable.
//
// Where sessions are shared, one that is open here is returned as it is: of o, only FollowOthers is used.
func (h *Host) Open(ctx context.Context, id event.SessionID, o Options) (*Session, error) {
	if err := h.visible(ctx, id); err != nil {
		return nil, err
	}
	if h.cfg.Sharing == nil {
		return h.openOwn(ctx, id, o)
	}
	defer h.opening.lock(id)()
	s, err := h.shared(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return h.openOwn(ctx, id, o)
	}
	if err := s.claim(o.FollowOthers); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

// openOwn is Open for a session that is not open here, or not shared.
func (h *Host) openOwn(ctx context.Context, id event.SessionID, o Options) (*Session, error) {
	var s *Session
	err := h.awaitLease(ctx, id, func() (err error) {
		s, err = h.load(ctx, id, o, leased)
		return err
	})
	if _, locked := errors.AsType[*LockedError](err); locked && o.FollowOthers {
		return h.load(ctx, id, o, following)
	}
	return s, err
}

// A loading is how a session is read from the store.
type loading uint8

const (
	leased    loading = iota // with the lease
	following                // without it: the turn of another process is followed
	viewed                   // without it, see View
)

// load reads a session from the store. A deferred one is not waited for longer than a verb waits.
func (h *Host) load(ctx context.Context, id event.SessionID, o Options, how loading) (*Session, error) {
	limited, cancel := h.storeContext(ctx)
	defer cancel()
	s, err := h.loadFrom(limited, id, o, how)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = unavailable(err)
	}
	return s, err
}

func (h *Host) loadFrom(ctx context.Context, id event.SessionID, o Options, how loading) (*Session, error) {
	read := h.cfg.Store.Open
	if how == leased {
		read = h.cfg.Store.Resume
	}
	f := session.New()
	f.ApproveAll = h.cfg.ApproveAll
	blob := func(address string) ([]byte, error) {
		data, err := h.cfg.Store.Blob(ctx, id, address)
		return data, unavailable(err)
	}
	var refused error // what is on disk is good, and cannot be used
	log, err := read(ctx, id, func(rec event.Record) error {
		refused = inherit(f, rec, blob)
		return refused
	})
	switch {
	case refused != nil:
		return nil, fmt.Errorf("open session %s: %w", id, refused)
	case err != nil:
		return nil, openError("", unavailable(err))
	}
	from := f.State.Head + 1
	s, err := h.inherit(ctx, log, how, f, o)
	if err != nil {
		_ = log.Close() // the first error reports why
		return nil, openError(id, err)
	}
	if how != viewed {
		h.reportOpened(Opened{Session: s, From: from, Others: how == following})
	}
	return s, nil
}

// inherit applies the next record of a journal that another program may have written.
func inherit(f *session.Fold, rec event.Record, blob func(string) ([]byte, error)) error {
	if err := sessionlog.LoadOutput(&rec, blob); err != nil {
		return err
	}
	if err := checkVersion(rec); err != nil {
		return err
	}
	f.Apply(rec)
	return nil
}

// inherit returns the session of a journal that was read into f.
func (h *Host) inherit(ctx context.Context, log journal.Journal, how loading, f *session.Fold, o Options) (*Session, error) {
	if f.Incomplete {
		loaded, err := f.Reload(f.Head(), log.Read(ctx, 1), func(rec *event.Record) error { return sessionlog.LoadOutput(rec, log.Blob) })
		if err != nil {
			return nil, unavailable(err)
		}
		f.Adopt(loaded)
	}
	s, err := newSession(h, log.ID(), o)
	if err != nil {
		return nil, err
	}
	s.fold, s.log = f, sessionlog.Restore(s.logConfig(), log, how == leased, f.State.Head)
	if err := h.enter(s); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.unlock()
	s.log.WatchLease()
	if how != leased {
		_ = s.enterDir() // a folder that is gone is an error of the next prompt
		if how == viewed {
			s.beginView()
		} else {
			s.followOther()
			s.changeBackend()
		}
		return s, nil
	}
	if err := s.closeInherited(); err != nil {
		h.leave(s)
		return nil, err
	}
	s.countInherited()
	s.inheritQueue()
	s.changeBackend()
	s.clearTasks()
	s.moveToDir()
	_ = s.enterDir() // a folder that is gone is an error of the next prompt
	return s, nil
}

// openError returns the error of a session that cannot be opened; id: "" if the error names it. That of one that is in use, or
// does not exist, is a sentence of its own.
func openError(id event.SessionID, err error) error {
	if _, locked := errors.AsType[*LockedError](err); locked || errors.Is(err, ErrNoSession) {
		return err
	}
	if id == "" {
		return fmt.Errorf("open session: %w", err)
	}
	return fmt.Errorf("open session %s: %w", id, err)
}
