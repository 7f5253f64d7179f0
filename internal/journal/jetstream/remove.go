package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// Remove deletes a session that is not leased. Its last frame says that it is removed; any process that finds
// that frame can finish the work. The frame has the sequences up to which there is something to delete:
// a session that is created anew meanwhile has later ones.
func (s *Store) Remove(ctx context.Context, id event.SessionID) error {
	if err := s.checkUsable(ctx); err != nil {
		return err
	}
	if !journal.ValidID(id) {
		return notFound(id)
	}
	link, err := s.join(ctx)
	if err != nil {
		return err
	}
	l := s.newLease(id)
	if err := s.register(l); err != nil {
		return err
	}
	defer s.unregister(l)
	claim, after, _, err := s.claim(ctx, link, id, false)
	if errors.Is(err, journal.ErrNotFound) {
		return errors.Join(err, s.finishRemoval(ctx, link, id))
	}
	if _, damaged := errors.AsType[*journal.DamageError](err); damaged {
		claim, after, err = s.claimDamaged(ctx, link, id)
	}
	if err != nil {
		return s.asClosed(err)
	}
	if err := s.remove(ctx, link, id, claim, after); err != nil {
		return fmt.Errorf("remove session %s: %w", id, s.asClosed(err))
	}
	return nil
}

// claimDamaged is claim for a session that is to be removed, and whose last frame is damaged or missing. If that frame names a process
// which needs the session, it is a *journal.LockedError.
func (s *Store) claimDamaged(ctx context.Context, link *cluster.Link, id event.SessionID) (*frame, stream.Predecessor, error) {
	m, err := stream.LastOnce(ctx, link, link.Namespace.Journal(id))
	if err != nil {
		return nil, stream.Predecessor{}, err
	}
	last := &frame{owner: m.Header["Parley-Owner"], host: m.Header["Parley-Host"]}
	if last.owner != "" {
		if _, err := s.checkOwner(ctx, id, last); err != nil {
			return nil, stream.Predecessor{}, err
		}
	}
	return last, stream.Predecessor{Seq: m.Seq}, nil
}

// Remove deletes the session, and closes the journal.
func (l *lease) Remove(ctx context.Context) error {
	l.switching.Lock()
	defer l.switching.Unlock()
	if err := l.checkUsable(); err != nil {
		return err
	}
	if err := l.Sync(); err != nil {
		return err
	}
	link, err := l.store.connect(ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	last := &frame{epoch: l.epoch, first: l.stored.Seq + 1, head: l.stored.Seq, hash: l.stored.Sum}
	after := l.store.ownFrame(l.epoch, l.stored.frame, l.seen)
	l.mu.Unlock()
	if err := l.store.remove(ctx, link, l.id, last, after); err != nil {
		return fmt.Errorf("remove session %s: %w", l.id, l.store.asClosed(err))
	}
	l.mu.Lock()
	l.held, l.closed, l.tail = false, true, tail{}
	l.busy.Store(false)
	l.mu.Unlock()
	l.store.unregister(l)
	return nil
}

func (s *Store) remove(ctx context.Context, link *cluster.Link, id event.SessionID, claim *frame, after stream.Predecessor) error {
	f := s.newFrame(kindRemove, claim.epoch)
	f.first, f.head, f.hash = claim.first, claim.head, claim.hash
	for subject, seq := range map[string]*uint64{link.Namespace.Blobs(id): &f.blobs, link.Namespace.Index(id): &f.index} {
		m, err := stream.LastOnce(ctx, link, subject)
		if err != nil {
			return err
		}
		*seq = m.Seq
	}
	seq, err := s.submitFrame(ctx, link, link.Namespace.Journal(id), f, after)
	if err != nil {
		return err
	}
	return awaitRemoval(ctx, link, id, f, seq)
}

// awaitRemoval removes what a session consists of, again while the servers cannot: to delete needs space, too.
func awaitRemoval(ctx context.Context, link *cluster.Link, id event.SessionID, f *frame, seq uint64) error {
	var pause stream.Backoff
	for end := time.Now().Add(stream.StalePatience); ; {
		err := removeContent(ctx, link, id, f, seq)
		if err == nil || time.Now().After(end) {
			return err
		}
		if pause.Wait(ctx, stream.MaxPause) != nil {
			return err
		}
	}
}

// finishRemoval removes what another process has left of a session that it removes.
func (s *Store) finishRemoval(ctx context.Context, link *cluster.Link, id event.SessionID) error {
	m, err := stream.LastOnce(ctx, link, link.Namespace.Journal(id))
	if err != nil || m.Seq == 0 {
		return err
	}
	f, err := decodeFrame(m)
	if err != nil || f.kind != kindRemove {
		return err
	}
	return removeContent(ctx, link, id, f, m.Seq)
}

// removeContent removes what a session consists of, its journal last.
func removeContent(ctx context.Context, link *cluster.Link, id event.SessionID, f *frame, seq uint64) error {
	if f.index > 0 {
		_, err := stream.PublishOnce(ctx, link, stream.Deletion(link.Namespace.Index(id)), f.index)
		if err != nil && !errors.Is(err, stream.ErrSequence) {
			return err
		}
	}
	if f.blobs > 0 {
		if err := link.Purge(ctx, link.Namespace.Blobs(id), f.blobs); err != nil {
			return err
		}
	}
	return link.Purge(ctx, link.Namespace.Journal(id), seq)
}
