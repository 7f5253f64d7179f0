package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// updateIndex publishes the session's summary, if it has changed. A failure must not fail the writer; the
// next change repeats the summary.
func (l *lease) updateIndex(ctx context.Context, link *cluster.Link) {
	l.mu.Lock()
	indexed, summary := l.indexed, l.summary
	l.indexSoon, l.indexing = false, !indexed
	l.mu.Unlock()
	if indexed {
		return
	}
	text, err := json.Marshal(summary, json.Deterministic(true))
	if err == nil {
		_, err = stream.PublishOnce(ctx, link, &stream.Message{Subject: link.Namespace.Index(l.id), Data: text}, stream.AnySequence)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.indexing = false
	l.progress.Broadcast()
	l.indexed = err == nil && l.summary.Updated.Equal(summary.Updated) && l.end.Seq == l.stored.Seq
}

// An index has the summaries of all sessions in memory. It is brought up to date when it is used.
type index struct {
	mu       sync.Mutex // guards the rest
	revision uint64     // sequence of the last entry that was read
	sessions map[string]journal.Summary
}

// update reads the entries that were changed since the last call.
func (x *index) update(ctx context.Context, l *cluster.Link) error {
	newest, err := stream.LastOnce(ctx, l, l.Namespace.AllIndex())
	if err != nil || newest.Seq <= x.revision {
		return err
	}
	if x.sessions == nil {
		x.sessions = map[string]journal.Summary{}
	}
	if err := l.Read(ctx, l.Namespace.AllIndex(), x.revision+1, newest.Seq, x.apply); err != nil {
		return err
	}
	x.revision = max(x.revision, newest.Seq)
	return nil
}

// IndexLag returns how many changes of the index this store has not read yet. It reads them when sessions are listed.
func (s *Store) IndexLag(ctx context.Context) (uint64, error) {
	l, err := s.connect(ctx)
	if err != nil {
		return 0, err
	}
	newest, err := stream.LastOnce(ctx, l, l.Namespace.AllIndex())
	if err != nil {
		return 0, s.asClosed(err)
	}
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	return newest.Seq - min(newest.Seq, s.index.revision), nil
}

// apply adds one entry. An entry that cannot be decoded is skipped: the journals have all data.
func (x *index) apply(m *stream.Message) error {
	x.revision = m.Seq
	if m.Header[stream.HeaderOperation] != "" {
		delete(x.sessions, m.Subject)
		return nil
	}
	var sum journal.Summary
	if err := json.Unmarshal(m.Data, &sum); err == nil && journal.ValidID(sum.ID) {
		x.sessions[m.Subject] = sum
	}
	return nil
}

// List returns a page of sessions from the index. A session that is updated between two pages moves to the
// front; no session is listed twice.
func (s *Store) List(ctx context.Context, q journal.Query) (journal.Page, error) {
	page, err := s.list(ctx, q)
	if errors.Is(err, journal.ErrClosed) || errors.Is(err, journal.ErrCursor) {
		return journal.Page{}, err
	}
	if err != nil {
		return journal.Page{}, fmt.Errorf("list sessions: %w", err)
	}
	return page, nil
}

func (s *Store) list(ctx context.Context, q journal.Query) (page journal.Page, err error) {
	var key, id string
	if q.Cursor != "" {
		if key, id, err = q.ParseCursor(); err != nil {
			return page, err
		}
	}
	l, err := s.connect(ctx)
	if err != nil {
		return page, err
	}
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	if err := s.index.update(ctx, l); err != nil {
		return page, s.asClosed(err)
	}
	direction := -1 // the newest first
	if q.Ascending {
		direction = 1
	}
	var found []entry
	for _, sum := range s.index.sessions {
		if !q.Matches(sum) {
			continue
		}
		page.Total++
		if e := (entry{q.Key(sum), sum}); q.Cursor == "" || direction*e.compare(key, id) > 0 {
			found = append(found, e)
		}
	}
	if !q.Count {
		page.Total = 0
	}
	slices.SortFunc(found, func(a, b entry) int { return direction * a.compare(b.key, string(b.ID)) })
	found = found[min(max(0, q.Skip), len(found)):]
	limit := q.Limit
	if limit <= 0 {
		limit = journal.DefaultLimit
	}
	for _, e := range found[:min(limit, len(found))] {
		page.Sessions = append(page.Sessions, e.Summary)
	}
	if len(found) > limit {
		page.Next = q.CursorAfter(page.Sessions[limit-1])
	}
	return page, nil
}

// An entry is a session of a list and the key by which it is sorted.
type entry struct {
	key string
	journal.Summary
}

func (e entry) compare(key, id string) int {
	if c := strings.Compare(e.key, key); c != 0 {
		return c
	}
	return strings.Compare(string(e.ID), id)
}
