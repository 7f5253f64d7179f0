package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// A Reindexing is what Reindex has done.
type Reindexing struct {
	Sessions int             `json:"sessions"`
	Written  int             `json:"written"` // entries that were missing or different
	Removed  int             `json:"removed"` // entries without a journal
	Failed   []SessionFailed `json:"failed,omitzero"`
}

// A SessionFailed is a session whose journal cannot be read.
type SessionFailed struct {
	Session event.SessionID `json:"session"`
	Error   string          `json:"error"`
}

// Reindex makes the index agree with the journals. An entry that an owner publishes meanwhile is newer and
// remains.
func (s *Store) Reindex(ctx context.Context) (Reindexing, error) {
	var done Reindexing
	link, list, err := s.lister(ctx)
	if err != nil {
		return done, err
	}
	entries, err := list.Subjects(ctx, link.Namespace.AllIndex()) // first: an entry follows its journal
	if err != nil {
		return done, err
	}
	ids, err := sessionsOf(ctx, list, link.Namespace.AllJournals())
	if err != nil {
		return done, err
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[link.Namespace.Index(id)] = true
		written, err := s.reindex(ctx, link, id)
		switch {
		case ctx.Err() != nil:
			return done, ctx.Err()
		case errors.Is(err, journal.ErrNotFound):
			known[link.Namespace.Index(id)] = false // it is being removed
			continue
		case err != nil:
			done.Failed = append(done.Failed, SessionFailed{id, err.Error()})
		case written:
			done.Written++
		}
		done.Sessions++
	}
	for _, subject := range entries {
		if known[subject] {
			continue
		}
		removed, err := removeEntry(ctx, link, subject)
		if err != nil {
			return done, err
		}
		if removed {
			done.Removed++
		}
	}
	return done, nil
}

// reindex publishes the entry of one session, if it is different.
func (s *Store) reindex(ctx context.Context, link *cluster.Link, id event.SessionID) (written bool, err error) {
	subject := link.Namespace.Index(id)
	before, err := stream.LastOnce(ctx, link, subject)
	if err != nil {
		return false, err
	}
	_, r, to, err := s.reader(ctx, id)
	if err != nil {
		return false, err
	}
	var sum journal.Summary
	if err := r.summarize(ctx, to, &sum, func(place) {}, nil); err != nil {
		return false, err
	}
	sum.ID = id
	text, err := json.Marshal(sum, json.Deterministic(true))
	if err != nil || string(text) == string(before.Data) {
		return false, err
	}
	_, err = stream.PublishOnce(ctx, link, &stream.Message{Subject: subject, Data: text}, before.Seq)
	if errors.Is(err, stream.ErrSequence) {
		return false, nil
	}
	return err == nil, err
}

// removeEntry removes an entry of the index that has no journal.
func removeEntry(ctx context.Context, link *cluster.Link, subject string) (bool, error) {
	m, err := stream.LastOnce(ctx, link, subject)
	if err != nil || m.Seq == 0 || m.Header[stream.HeaderOperation] != "" {
		return false, err
	}
	_, err = stream.PublishOnce(ctx, link, stream.Deletion(subject), m.Seq)
	if errors.Is(err, stream.ErrSequence) {
		return false, nil
	}
	return err == nil, err
}

// lister returns the connection, and what lists subjects.
func (s *Store) lister(ctx context.Context) (*cluster.Link, stream.Lister, error) {
	link, err := s.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	list, ok := link.Server.(stream.Lister)
	if !ok {
		return nil, nil, stream.ErrNoList
	}
	return link, list, nil
}

// sessionsOf returns the sessions that have messages on subjects NAMESPACE.KIND.SHARD.SESSION….
func sessionsOf(ctx context.Context, list stream.Lister, subjects []string) ([]event.SessionID, error) {
	var ids []event.SessionID
	seen := map[string]bool{}
	for _, wildcard := range subjects {
		found, err := list.Subjects(ctx, wildcard)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", wildcard, err)
		}
		for _, subject := range found {
			parts := strings.SplitN(subject, ".", 5)
			if len(parts) < 4 || seen[parts[3]] {
				continue
			}
			seen[parts[3]] = true
			if id := stream.SessionOf(parts[3]); journal.ValidID(id) {
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}
