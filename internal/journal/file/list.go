package file

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"parley.dev/parley/internal/journal"
)

// List returns a page of sessions from the index, which it builds if it is missing. It needs no right to write, and no room on the
// disk: the index is in memory then. A session that
// is updated between two pages moves to the front; no session is listed twice.
func (s *Store) List(ctx context.Context, q journal.Query) (journal.Page, error) {
	var page journal.Page
	var key, id string
	if q.Cursor != "" {
		var err error
		if key, id, err = q.ParseCursor(); err != nil {
			return page, err
		}
	}
	err := s.useIndex(ctx, false, func(t *table) error {
		page = s.page(t, q, key, id)
		if q.Count {
			page.Total = t.count(q)
		}
		return ctx.Err()
	})
	if err != nil {
		return journal.Page{}, fmt.Errorf("list sessions: %w", err)
	}
	return page, nil
}

// Rebuild rebuilds the index from the journals. It fails if the index cannot be written.
func (s *Store) Rebuild(ctx context.Context) error {
	err := s.useIndex(ctx, true, func(*table) error { return nil })
	if err != nil {
		return fmt.Errorf("rebuild session index: %w", err)
	}
	return nil
}

// useIndex runs work on the index, if there are sessions at all.
func (s *Store) useIndex(ctx context.Context, rebuild bool, work func(*table) error) error {
	if err := s.checkUsable(ctx); err != nil {
		return err
	}
	if there, err := exists(s.sessions()); err != nil || !there {
		return err
	}
	ix, err := s.openIndex()
	if err != nil {
		return err
	}
	return ix.update(ctx, rebuild, work)
}

func (s *Store) openIndex() (*index, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, journal.ErrClosed
	}
	if s.index == nil {
		s.index = newIndex(s.root, s.opts.Rebuilding)
	}
	return s.index, nil
}

// count returns the number of sessions on all pages.
func (t *table) count(q journal.Query) (n int) {
	switch filtered := q.IDs != nil || q.Workspace != "" || q.Workspaces != nil || q.Within != "" || q.WithTurns || q.Search != ""; {
	case filtered:
		for _, sum := range t.list(q) {
			if q.Matches(*sum) {
				n++
			}
		}
		return n
	case q.All:
		return len(t.sessions)
	case q.Archived:
		return t.archived
	default:
		return len(t.sessions) - t.archived
	}
}

// page collects the sessions after the cursor, which is the one with key and id, until it has one more than the limit. It skips
// those that another program deleted.
func (s *Store) page(t *table, q journal.Query, key, id string) (page journal.Page) {
	limit := q.Limit
	if limit <= 0 {
		limit = journal.DefaultLimit
	}
	all, skip := t.list(q), q.Skip
	q.IDs = nil // the list has no others
	from := 0   // how many of the list, in the query's direction, are not after the cursor
	if q.Cursor != "" {
		at, found := slices.BinarySearchFunc(all, key, func(sum *journal.Summary, key string) int {
			return cmp.Or(cmp.Compare(q.Key(*sum), key), cmp.Compare(string(sum.ID), id))
		})
		if from = len(all) - at; q.Ascending {
			from = at
		}
		if found && q.Ascending {
			from++
		}
	}
	for i := from; i < len(all); i++ {
		sum := all[i]
		if !q.Ascending {
			sum = all[len(all)-1-i]
		}
		if !q.Matches(*sum) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if _, err := s.existingFolder(sum.ID); err != nil {
			continue
		}
		if len(page.Sessions) == limit {
			page.Next = q.CursorAfter(page.Sessions[limit-1])
			break
		}
		page.Sessions = append(page.Sessions, *sum)
	}
	return page
}
