package file

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/journal"
)

// List returns a page of sessions from the index, which it builds if it is missing. A session that
// is updated between two pages moves to the front; no session is listed twice.
func (s *Store) List(ctx context.Context, q journal.Query) (journal.Page, error) {
	condition, args := queryCondition(q)
	past, order, cursor, err := pageCondition(q)
	if err != nil {
		return journal.Page{}, err
	}
	var page journal.Page
	err = s.useIndex(ctx, false, func(t *indexTx) (err error) {
		query := `SELECT summary FROM sessions` + condition + past + order + ` LIMIT -1 OFFSET ?`
		if page, err = s.page(t, query, slices.Concat(args, cursor, []any{max(0, q.Skip)}), q); err != nil || !q.Count {
			return err
		}
		page.Total, err = t.count(q)
		return err
	})
	if err != nil {
		return journal.Page{}, fmt.Errorf("list sessions: %w", err)
	}
	return page, nil
}

// Rebuild rebuilds the index from the journals.
func (s *Store) Rebuild(ctx context.Context) error {
	err := s.useIndex(ctx, true, func(*indexTx) error { return nil })
	if err != nil {
		return fmt.Errorf("rebuild session index: %w", err)
	}
	return nil
}

// useIndex runs work on the index, if there are sessions at all. A damaged index is renamed and
// rebuilt.
func (s *Store) useIndex(ctx context.Context, rebuild bool, work func(*indexTx) error) error {
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
	if err = ix.update(ctx, rebuild, work); !isDamaged(err) || ctx.Err() != nil || s.checkUsable(ctx) != nil {
		return err
	}
	if err := s.dropIndex(ix); err != nil {
		return err
	}
	if ix, err = s.openIndex(); err != nil {
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
	if s.index != nil && !s.index.isCurrent() {
		_ = s.index.close() // its file was deleted or replaced
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
	return ix.backUp()
}

// queryCondition returns the SQL condition for the sessions of all pages.
func queryCondition(q journal.Query) (text string, args []any) {
	var b strings.Builder
	where := func(condition string, values ...any) {
		b.WriteString(condition)
		args = append(args, values...)
	}
	if q.All {
		where(` WHERE archived IN (0, 1)`)
	} else {
		where(` WHERE archived = ?`, q.Archived)
	}
	if q.IDs != nil {
		ids := make([]any, len(q.IDs))
		for i, id := range q.IDs {
			ids[i] = string(id)
		}
		where(` AND id IN (?`+strings.Repeat(", ?", len(ids))+`)`, append(ids, "")...) // no session has the id ""
	}
	if q.Workspace != "" {
		where(` AND workspace = ?`, q.Workspace)
	}
	if q.Workspaces != nil {
		folders := make([]any, len(q.Workspaces))
		for i, dir := range q.Workspaces {
			folders[i] = dir
		}
		where(` AND workspace IN (?`+strings.Repeat(", ?", len(folders))+`)`, append(folders, "")...) // no session has the workspace ""
	}
	if q.Within != "" {
		below := strings.TrimSuffix(q.Within, "/") + "/"
		where(` AND (workspace = ? OR substr(workspace, 1, ?) = ?)`, q.Within, utf8.RuneCountInString(below), below)
	}
	if q.WithTurns {
		where(` AND begun`)
	}
	if q.Search != "" {
		where(` AND instr(words, ?)`, strings.ToLower(q.Search))
	}
	return b.String(), args
}

// count returns the number of sessions on all pages. Without a filter it reads a stored count.
func (t *indexTx) count(q journal.Query) (n int, err error) {
	query, args := `SELECT sessions FROM counts WHERE archived = ?`, []any{q.Archived}
	if q.All || q.IDs != nil || q.Workspace != "" || q.Workspaces != nil || q.Within != "" || q.WithTurns || q.Search != "" {
		var condition string
		condition, args = queryCondition(q)
		query = `SELECT count(*) FROM sessions` + condition
	}
	err = t.tx.QueryRowContext(t.ctx, query, args...).Scan(&n)
	return n, err
}

// pageCondition returns the SQL condition for the sessions after the cursor, "" if there is none, and their order.
func pageCondition(q journal.Query) (past, order string, args []any, err error) {
	column, direction, comparison := "updated", "DESC", "<"
	if q.ByCreation {
		column = "created"
	}
	if q.Ascending {
		direction, comparison = "ASC", ">"
	}
	order = fmt.Sprintf(` ORDER BY %[1]s %[2]s, id %[2]s`, column, direction)
	if q.Cursor == "" {
		return "", order, nil, nil
	}
	key, id, err := q.ParseCursor()
	return fmt.Sprintf(` AND (%s, id) %s (?, ?)`, column, comparison), order, []any{key, id}, err
}

// page reads sessions until it has one more than the limit. It skips those that another program deleted.
func (s *Store) page(t *indexTx, query string, args []any, q journal.Query) (journal.Page, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = journal.DefaultLimit
	}
	rows, err := t.tx.QueryContext(t.ctx, query, args...)
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
		if _, err := s.existingFolder(sum.ID); err != nil {
			continue
		}
		if len(page.Sessions) == limit {
			page.Next = q.CursorAfter(page.Sessions[limit-1])
			break
		}
		page.Sessions = append(page.Sessions, sum)
	}
	return page, rows.Err()
}
