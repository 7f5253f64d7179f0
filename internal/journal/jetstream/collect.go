package jetstream

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// A Collection is what Collect has done.
type Collection struct {
	Finished int             `json:"finished"` // removals of sessions that were interrupted
	Blobs    int             `json:"blobs"`    // that no record names, and that were deleted
	Busy     int             `json:"busy"`     // sessions with such blobs that a process has, which are left alone
	Failed   []SessionFailed `json:"failed,omitzero"`
}

// Collect finishes removals that were interrupted, and deletes blobs that no record names.
func (s *Store) Collect(ctx context.Context) (Collection, error) {
	var done Collection
	link, list, err := s.lister(ctx)
	if err != nil {
		return done, err
	}
	ids, err := sessionsOf(ctx, list, link.Namespace.AllJournals())
	if err != nil {
		return done, err
	}
	for _, id := range ids {
		finished, err := s.finish(ctx, link, id)
		if err != nil {
			return done, err
		}
		if finished {
			done.Finished++
		}
	}
	if ids, err = sessionsOf(ctx, list, link.Namespace.AllBlobs()); err != nil {
		return done, err
	}
	for _, id := range ids {
		c := &collector{store: s, link: link, list: list, id: id}
		blobs, err := c.collect(ctx)
		done.Blobs += blobs
		_, locked := errors.AsType[*journal.LockedError](err)
		switch {
		case ctx.Err() != nil:
			return done, ctx.Err()
		case locked:
			done.Busy++
		case err != nil:
			done.Failed = append(done.Failed, SessionFailed{id, err.Error()})
		}
	}
	return done, nil
}

// finish finishes the removal of a session, if it has begun.
func (s *Store) finish(ctx context.Context, link *cluster.Link, id event.SessionID) (bool, error) {
	_, _, err := s.lastFrame(ctx, link, id)
	if !errors.Is(err, journal.ErrNotFound) {
		return false, nil // it is there, or its last frame cannot be decoded
	}
	return true, s.finishRemoval(ctx, link, id)
}

// A collector deletes the blobs of one session that no record names.
type collector struct {
	store *Store
	link  *cluster.Link
	list  stream.Lister
	id    event.SessionID
}

func (c *collector) collect(ctx context.Context) (int, error) {
	found, err := c.blobs(ctx)
	if err != nil {
		return 0, err
	}
	unused, err := c.unused(ctx, found)
	if errors.Is(err, journal.ErrNotFound) {
		return len(found), c.removeAll(ctx)
	}
	if err != nil || len(unused) == 0 {
		return 0, err
	}
	// Their records may follow: only the owner of the session knows that none will.
	j, err := c.store.Lease(ctx, c.id)
	if err != nil {
		return 0, err
	}
	defer func() { _ = j.Close() }() // the lease ends with the process, too
	if unused, err = c.unused(ctx, unused); err != nil {
		return 0, err
	}
	for n, address := range unused {
		subject := strings.TrimSuffix(c.link.Namespace.Chunk(c.id, address, 0), "0") + "*"
		last, err := stream.LastOnce(ctx, c.link, subject)
		if err == nil {
			err = c.link.Purge(ctx, subject, last.Seq)
		}
		if err != nil {
			return n, err
		}
	}
	return len(unused), nil
}

// blobs returns the addresses of the session's blobs.
func (c *collector) blobs(ctx context.Context) ([]string, error) {
	subjects, err := c.list.Subjects(ctx, c.link.Namespace.Blobs(c.id))
	if err != nil {
		return nil, err
	}
	var all []string
	seen := map[string]bool{}
	for _, subject := range subjects {
		parts := strings.Split(subject, ".")
		if len(parts) == 6 && !seen[parts[4]] {
			seen[parts[4]] = true
			all = append(all, parts[4])
		}
	}
	return all, nil
}

// unused returns the addresses that neither records nor frames of the session name.
func (c *collector) unused(ctx context.Context, addresses []string) ([]string, error) {
	_, r, to, err := c.store.reader(ctx, c.id)
	if err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, address := range addresses {
		left[address] = true
	}
	err = c.link.Read(ctx, c.link.Namespace.Journal(c.id), 1, to, func(m *stream.Message) error {
		f, err := decodeFrame(m)
		if err == nil && f.body != nil {
			delete(left, f.body.address)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = r.advance(ctx, to, func(line []byte, _ place) error {
		for address := range left {
			if bytes.Contains(line, []byte(address)) {
				delete(left, address)
			}
		}
		return nil
	})
	var unused []string
	for _, address := range addresses {
		if left[address] {
			unused = append(unused, address)
		}
	}
	return unused, err
}

// removeAll deletes the blobs of a session that does not exist. The frame of a removal takes the id meanwhile: a
// process that creates the session deletes the same blobs first, so it cannot rely on one of them.
func (c *collector) removeAll(ctx context.Context) error {
	f := c.store.newFrame(kindRemove, 1)
	last, err := stream.LastOnce(ctx, c.link, c.link.Namespace.Blobs(c.id))
	if err != nil {
		return err
	}
	f.first, f.blobs = 1, last.Seq
	seq, err := c.store.submitFrame(ctx, c.link, c.link.Namespace.Journal(c.id), f, stream.Predecessor{})
	if errors.Is(err, stream.ErrTaken) {
		return nil // it was created
	}
	if err != nil {
		return err
	}
	return removeContent(ctx, c.link, c.id, f, seq)
}
