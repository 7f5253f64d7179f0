package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/sessionlog"
)

// This file handles the lease of a session's journal. A session has it while it needs it and
// while something is written; else any process may have it. A process that gets it reads
// first what others wrote. How processes ask each other for it is in handover.go.

// Lease keeps the lease until release is called, so that several verbs see no other writer in
// between. It waits as every verb does that writes. *LockedError, ErrNoSession, *DamageError,
// ErrUnsaved, ErrClosed.
func (s *Session) Lease() (release func(), err error) {
	if err := s.lockToWrite(); err != nil {
		return nil, err
	}
	s.lease.claims++
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.unlock()
		s.lease.claims--
	}, nil
}

// Refresh reads what other processes wrote. While a turn runs in another one, and
// Options.FollowOthers is set, followers see what it writes until it ends.
func (l Log) Refresh() error { return l.s.refresh(l.s.opts.FollowOthers) }

// refresh is Log.Refresh; follow is Options.FollowOthers.
func (s *Session) refresh(follow bool) error {
	err := s.lockToWrite()
	if err == nil {
		s.unlock()
		return nil
	}
	if !isLocked(err) || !follow {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == "" {
		s.followOther()
	}
	return nil
}

// Observe reads what other processes wrote, and requests the lease of none. While one has it, followers
// see what it writes until it gives the lease back.
func (l Log) Observe() error { return l.s.observe() }

func (s *Session) observe() error {
	s.mu.Lock()
	defer s.unlock()
	switch {
	case s.ended != "":
		return ErrClosed
	case s.lease.other != nil:
		return nil
	case s.handingOver():
		s.followOther()
		return nil
	}
	err := s.acquire()
	if _, locked := errors.AsType[*LockedError](err); locked {
		s.followOther()
		return nil
	}
	return err
}

// lockToWrite takes the session's lock and the lease, for which another process may be asked. The
// caller calls unlock, unless there is an error.
func (s *Session) lockToWrite() error {
	err := s.host.awaitLease(context.Background(), s.id, func() error {
		s.mu.Lock()
		err := ErrClosed
		if s.ended == "" {
			err = s.acquire()
		}
		if err == nil && s.ended != "" { // meanwhile
			err = ErrClosed
		}
		if err != nil {
			s.mu.Unlock()
		}
		return err
	})
	if errors.Is(err, ErrClosed) {
		return s.closedError()
	}
	return err
}

// unlock gives the session's lock back, and the lease if it is needed no more.
func (s *Session) unlock() {
	s.beginInherited()
	s.giveBack()
	s.mu.Unlock()
}

// acquire gets the lease, reads what others wrote, closes what a dead process left open, and
// records the overrides. A session that is not on disk yet needs none.
//
// While it waits for a deferred store it releases the session's lock.
func (s *Session) acquire() error {
	ctx, cancel := s.host.storeContext(context.Background())
	defer cancel()
	if err := s.log.AwaitExchange(ctx); err != nil {
		return err
	}
	if !s.log.Created() || s.log.Leased() {
		return nil
	}
	synced := s.fold.State.Head
	took := func() {
		if s.fold.State.Head == synced && s.lease.other == nil {
			s.log.Show("", event.SyncStarted{})
		}
	}
	err := s.log.Acquire(ctx, func(rec event.Record) error {
		if rec.Seq <= s.fold.State.Head {
			return nil // it was followed
		}
		took()
		return s.takeOther(rec)
	})
	if err != nil {
		if s.fold.State.Head != synced && s.lease.other == nil {
			s.log.Show("", event.SyncEnded{})
		}
		if _, locked := errors.AsType[*LockedError](err); locked {
			return err // it is a sentence that names the session
		}
		return fmt.Errorf("get the lease: %w", err)
	}
	err = s.reloadHistory()
	if err == nil && (s.fold.State.Turn != "" || len(s.fold.Commands.Open) > 0) {
		took()
		err = s.closeInherited()
	}
	if s.fold.State.Head != synced || s.lease.other != nil {
		s.endOther()
		s.log.Show("", event.SyncEnded{})
		s.clearTasks()
	}
	if err != nil {
		s.giveBack()
		return err
	}
	s.lease.handed = time.Time{}
	if s.lease.viewed { // another process had it when it was opened
		s.lease.viewed = false
		s.countInherited()
	}
	s.inheritQueue()
	s.recordOverrides()
	return nil
}

// loadOutput adds the output to a record that has it in a blob. It runs under the session's lock.
func (s *Session) loadOutput(rec *event.Record) error {
	return sessionlog.LoadOutput(rec, s.log.LockedBlob)
}

// takeOther takes the next record of another process.
func (s *Session) takeOther(rec event.Record) error {
	if err := s.loadOutput(&rec); err != nil {
		return err
	}
	if err := checkVersion(rec); err != nil {
		return err
	}
	s.log.Take(rec)
	switch e := rec.Event.(type) {
	case event.AnswerGrew:
		s.showGrown(rec.Turn, e)
	case event.TurnStarted:
		s.dropAgent() // it does not have what comes
	}
	return nil
}

// showGrown shows followers what the answer of another process says, as it would be shown there.
func (s *Session) showGrown(turn event.TurnID, e event.AnswerGrew) {
	for _, p := range e.Pieces {
		if p.Thinking {
			s.log.Show(turn, event.ThinkingDelta{Message: e.Message, Block: p.Block, Text: p.Text, Summary: p.Summary})
		} else {
			s.log.Show(turn, event.TextDelta{Message: e.Message, Block: p.Block, Text: p.Text})
		}
	}
}

// reloadHistory loads the history if a record of another process led off the path that was.
func (s *Session) reloadHistory() error {
	if !s.fold.Incomplete {
		return nil
	}
	ctx, cancel := s.host.storeContext(context.Background())
	defer cancel()
	loaded, err := s.fold.Reload(s.fold.Head(), s.log.All(ctx), s.loadOutput)
	if err == nil {
		s.fold.Adopt(loaded)
	}
	return err
}

// giveBack gives the lease and the folder back, unless something still needs them.
func (s *Session) giveBack() {
	if s.slot != nil || s.lease.claims > 0 {
		return
	}
	if s.shell.running == nil && s.work.env != nil {
		_ = s.work.env.Workspace.Release() // only read from
	}
	if s.ended == "" && s.log.Leased() {
		s.giveBackLease()
	}
}

// An other is the process whose turn is followed. Two goroutines follow it until cancel is
// called, or the turn ends.
type other struct{ cancel context.CancelFunc }

// followOther begins to follow the turn that another process runs, if it is not followed yet.
func (s *Session) followOther() {
	if s.lease.other != nil || !s.log.Created() {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := &other{cancel}
	s.lease.other = o
	s.log.Show("", event.SyncStarted{})
	s.lease.following.Go(func() { s.takeAll(ctx, o) })
	s.lease.following.Go(func() { s.awaitEnd(ctx, o) })
}

// endOther ends the following. The caller shows SyncEnded.
func (s *Session) endOther() {
	if s.lease.other != nil {
		s.lease.other.cancel()
		s.lease.other = nil
	}
}

// takeAll takes what the other process writes. While the store cannot be read it tries again.
func (s *Session) takeAll(ctx context.Context, o *other) {
	tick := time.NewTicker(otherPoll)
	defer tick.Stop()
	for logged := false; ; logged = true {
		err := s.takeSome(ctx, o)
		if err == nil {
			return
		}
		if !logged {
			s.host.cfg.Log.Error("turn of another process not followed", "session", s.id, "error", err)
		}
		if _, damaged := errors.AsType[*DamageError](err); damaged || errors.Is(err, journal.ErrNotFound) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// takeSome takes what the other process writes until it is not followed any more, or the store cannot be read.
func (s *Session) takeSome(ctx context.Context, o *other) error {
	for rec, err := range s.host.cfg.Store.Follow(ctx, s.id, s.head()+1) {
		if err == nil { // before the lock is taken: it may take a while
			err = sessionlog.LoadOutput(&rec, s.log.Blob)
		}
		s.mu.Lock()
		if s.lease.other != o {
			s.mu.Unlock()
			return nil
		}
		if err == nil && rec.Seq == s.fold.State.Head+1 {
			err = s.takeOther(rec)
		}
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// awaitEnd gets the lease when the other process has given it back, or has died: that is when
// its turn is over. While the store cannot be reached it tries again: the turn of the other process goes on meanwhile.
func (s *Session) awaitEnd(ctx context.Context, o *other) {
	tick := time.NewTicker(otherPoll)
	defer tick.Stop()
	for logged := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		if s.lease.other != o || s.ended != "" {
			s.mu.Unlock()
			return
		}
		var err error
		if !s.handingOver() {
			err = s.acquire()
		}
		_, locked := errors.AsType[*LockedError](err)
		_, damaged := errors.AsType[*DamageError](err)
		lost := damaged || errors.Is(err, journal.ErrNotFound)
		if lost && s.lease.other == o { // the next verb reports the error, or follows again
			s.endOther()
			s.log.Show("", event.SyncEnded{})
		}
		s.unlock()
		if failed := err != nil && !locked; failed && !logged {
			logged = true
			s.host.cfg.Log.Error("end of a turn of another process not known", "session", s.id, "error", err)
		} else if !failed {
			logged = false
		}
		if lost {
			return
		}
	}
}

// otherPoll is how often a session that follows another process looks whether that has ended.
const otherPoll = 100 * time.Millisecond
