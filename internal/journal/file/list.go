package file

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

const defaultLimit = 50

// List pages sessions. It reads the index, which is made first if it is missing. A session
// that is updated between two pages moves to the front; no session comes twice.
func (s *Store) List(ctx context.Context, q journal.Query) (journal.Page, error) {
	chosen, args := selection(q)
	past, cursor, err := pastCursor(q.Cursor)
	if err != nil {
		return journal.Page{}, err
	}
	var page journal.Page
	err = s.useIndex(ctx, false, func(sh *shelf) (err error) {
		query := `SELECT summary FROM sessions` + chosen + past + ` ORDER BY updated DESC, id DESC LIMIT -1 OFFSET ?`
		if page, err = s.page(sh, query, slices.Concat(args, cursor, []any{max(0, q.Skip)}), q.Limit); err != nil || !q.Count {
			return err
		}
		page.Total, err = sh.count(q)
		return err
	})
	if err != nil {
		return journal.Page{}, fmt.Errorf("list sessions: %w", err)
	}
	return page, nil
}

// Rebuild makes the index anew from the journals.
func (s *Store) Rebuild(ctx context.Context) error {
	err := s.useIndex(ctx, true, func(*shelf) error { return nil })
	if err != nil {
		return fmt.Errorf("rebuild session index: %w", err)
	}
	return nil
}

// useIndex runs work on the index, if there are sessions at all. A damaged index is set
// aside and made again.
func (s *Store) useIndex(ctx context.Context, rebuild bool, work func(*shelf) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if there, err := exists(s.sessions()); err != nil || !there {
		return err
	}
	ix, err := s.openedIndex()
	if err != nil {
		return err
	}
	if err = ix.update(ctx, rebuild, work); !damaged(err) {
		return err
	}
	if err := s.dropIndex(ix); err != nil {
		return err
	}
	if ix, err = s.openedIndex(); err != nil {
		return err
	}
	return ix.update(ctx, rebuild, work)
}

func (s *Store) openedIndex() (*index, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, journal.ErrClosed
	}
	if s.index != nil && !s.index.current() {
		_ = s.index.close() // of a file that is no longer there
		s.index = nil
	}
	if s.index == nil {
		ix, err := openIndex(s.root)
		if err != nil {
			return nil, err
		}
		s.index = ix
	}
	return s.index, nil
}

func (s *Store) dropIndex(ix *index) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index != ix {
		return nil
	}
	s.index = nil
	return ix.setAside()
}

// selection is the condition for the sessions of all pages.
func selection(q journal.Query) (text string, args []any) {
	var b strings.Builder
	where := func(condition string, values ...any) {
		b.WriteString(condition)
		args = append(args, values...)
	}
	where(` WHERE archived = ?`, q.Archived)
	if q.Workspace != "" {
		where(` AND workspace = ?`, q.Workspace)
	}
	if q.Search != "" {
		where(` AND instr(words, ?)`, strings.ToLower(q.Search))
	}
	return b.String(), args
}

// count is how many sessions are on all pages. Without a choice among them it need not go
// through them.
func (sh *shelf) count(q journal.Query) (n int, err error) {
	query, args := `SELECT sessions FROM counts WHERE archived = ?`, []any{q.Archived}
	if q.Workspace != "" || q.Search != "" {
		var chosen string
		chosen, args = selection(q)
		query = `SELECT count(*) FROM sessions` + chosen
	}
	err = sh.tx.QueryRowContext(sh.ctx, query, args...).Scan(&n)
	return n, err
}

// pastCursor is the condition for those behind a cursor; "": for all.
func pastCursor(cursor string) (text string, args []any, err error) {
	if cursor == "" {
		return "", nil, nil
	}
	updated, id, err := readCursor(cursor)
	return ` AND (updated, id) < (?, ?)`, []any{updated, id}, err
}

// page reads sessions until it has one more than limit. Those that were deleted behind our
// back are passed over.
func (s *Store) page(sh *shelf, query string, args []any, limit int) (journal.Page, error) {
	if limit <= 0 {
		limit = defaultLimit
	}
	rows, err := sh.tx.QueryContext(sh.ctx, query, args...)
	if err != nil {
		return journal.Page{}, err
	}
	defer rows.Close()
	var page journal.Page
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return journal.Page{}, err
		}
		var sum journal.Summary
		if err := json.Unmarshal([]byte(text), &sum); err != nil {
			return journal.Page{}, err
		}
		if _, err := s.find(sum.ID); err != nil {
			continue
		}
		if len(page.Sessions) == limit {
			page.Next = cursorBehind(page.Sessions[limit-1])
			break
		}
		page.Sessions = append(page.Sessions, sum)
	}
	return page, rows.Err()
}

// A cursor is the sort key and the id of the session that the page before ended with.

func cursorBehind(sum journal.Summary) string {
	return base64.RawURLEncoding.EncodeToString([]byte(sortKey(sum.Updated) + string(sum.ID)))
}

func readCursor(cursor string) (updated, id string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(text) <= sortKeyLen || !valid(event.SessionID(text[sortKeyLen:])) {
		return "", "", fmt.Errorf("%w: %q", journal.ErrCursor, cursor)
	}
	return string(text[:sortKeyLen]), string(text[sortKeyLen:]), nil
}
