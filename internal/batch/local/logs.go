package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"parley.dev/parley/internal/batch"
)

// Append implements batch.Logs.
func (s *Store) Append(ctx context.Context, log batch.Log, after uint64, data []byte) (number uint64, err error) {
	if err := check(log, data); err != nil {
		return 0, err
	}
	err = s.write(ctx, s.synced, func(tx *sql.Tx) error {
		last, err := lastNumber(ctx, tx, log)
		switch {
		case err != nil:
			return err
		case last != after:
			return batch.ErrConflict
		}
		number, err = insert(ctx, tx, log, data)
		return err
	})
	if err != nil {
		return 0, err
	}
	s.wake.all()
	return number, nil
}

// Create implements batch.Logs.
func (s *Store) Create(ctx context.Context, entries []batch.Entry) (created []bool, err error) {
	for _, e := range entries {
		if err := check(e.Log, e.Data); err != nil {
			return nil, err
		}
	}
	err = s.write(ctx, s.synced, func(tx *sql.Tx) error {
		created = make([]bool, len(entries))
		for i, e := range entries {
			last, err := lastNumber(ctx, tx, e.Log)
			if err == nil && last == 0 {
				created[i] = true
				_, err = insert(ctx, tx, e.Log, e.Data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.wake.all()
	return created, nil
}

// check refuses what no driver stores.
func check(log batch.Log, data []byte) error {
	switch {
	case log.Kind == "" || log.Batch == "" || (log.Kind == batch.TaskLog) != (log.Task != ""):
		return fmt.Errorf("%+v is no log that can be written", log)
	case len(data) > batch.MaxEntry:
		return fmt.Errorf("an entry of %d bytes is larger than %d", len(data), batch.MaxEntry)
	}
	return nil
}

func lastNumber(ctx context.Context, tx *sql.Tx, log batch.Log) (number uint64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM entries WHERE batch = ? AND kind = ? AND task = ?`,
		log.Batch, string(log.Kind), log.Task).Scan(&number)
	return number, err
}

func insert(ctx context.Context, tx *sql.Tx, log batch.Log, data []byte) (uint64, error) {
	done, err := tx.ExecContext(ctx, `INSERT INTO entries (batch, kind, task, time, data) VALUES (?, ?, ?, ?, ?)`,
		log.Batch, string(log.Kind), log.Task, milliseconds(time.Now()), data)
	if err != nil {
		return 0, err
	}
	number, err := done.LastInsertId()
	return uint64(number), err
}

// Last implements batch.Logs.
func (s *Store) Last(ctx context.Context, log batch.Log) (batch.Entry, error) {
	entries, err := s.read(ctx, `WHERE batch = ? AND kind = ? AND task = ? ORDER BY number DESC LIMIT 1`, log.Batch, string(log.Kind), log.Task)
	if err == nil && len(entries) == 0 {
		err = batch.ErrNoEntry
	}
	if err != nil {
		return batch.Entry{}, err
	}
	return entries[0], nil
}

const (
	// page is how many entries are read at once: no transaction is open while the caller handles them.
	page = 500
	// largePage is the size of the entries of a page, in bytes, above which the next page is smaller.
	largePage = 8 << 20
)

// Entries implements batch.Logs.
func (s *Store) Entries(ctx context.Context, log batch.Log, after uint64) iter.Seq2[batch.Entry, error] {
	return func(yield func(batch.Entry, error) bool) {
		var end uint64
		if err := s.synced.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM entries`).Scan(&end); err != nil {
			yield(batch.Entry{}, s.asClosed(err))
			return
		}
		s.yieldUntil(ctx, log, after, end, yield)
	}
}

// yieldUntil yields the entries after one number up to another. It returns the number of the last one, and false if the caller wants
// no more or there was an error.
func (s *Store) yieldUntil(ctx context.Context, log batch.Log, after, end uint64, yield func(batch.Entry, error) bool) (uint64, bool) {
	limit := page
	for {
		entries, err := s.page(ctx, log, after, end, limit)
		if err != nil {
			yield(batch.Entry{}, err)
			return after, false
		}
		size := 0
		for _, e := range entries {
			after, size = e.Number, size+len(e.Data)
			if !yield(e, nil) {
				return after, false
			}
		}
		if len(entries) < limit {
			return after, true
		}
		if limit = page; size > largePage {
			limit = max(1, page*largePage/size)
		}
	}
}

func (s *Store) page(ctx context.Context, log batch.Log, after, end uint64, limit int) ([]batch.Entry, error) {
	if log.Kind == "" {
		return s.read(ctx, `WHERE batch = ? AND number > ? AND number <= ? ORDER BY number LIMIT ?`, log.Batch, after, end, limit)
	}
	return s.read(ctx, `WHERE batch = ? AND kind = ? AND task = ? AND number > ? AND number <= ? ORDER BY number LIMIT ?`,
		log.Batch, string(log.Kind), log.Task, after, end, limit)
}

func (s *Store) read(ctx context.Context, where string, args ...any) (entries []batch.Entry, err error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, err
	}
	rows, err := s.synced.QueryContext(ctx, `SELECT number, batch, kind, task, time, data FROM entries `+where, args...)
	if err != nil {
		return nil, s.asClosed(err)
	}
	defer func() { err = s.asClosed(errors.Join(err, rows.Close())) }()
	for rows.Next() {
		var e batch.Entry
		var at int64
		if err := rows.Scan(&e.Number, &e.Log.Batch, &e.Log.Kind, &e.Log.Task, &at, &e.Data); err != nil {
			return nil, err
		}
		e.Time = time.UnixMilli(at).UTC()
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

// Follow implements batch.Logs.
func (s *Store) Follow(ctx context.Context, log batch.Log, after uint64) iter.Seq2[batch.Entry, error] {
	return func(yield func(batch.Entry, error) bool) {
		poll := newPoll(s)
		for {
			woken := s.wake.next()
			var more bool
			if after, more = s.yieldUntil(ctx, log, after, 1<<62, yield); !more {
				return
			}
			if err := poll.wait(ctx, woken, time.Time{}); err != nil {
				yield(batch.Entry{}, err)
				return
			}
		}
	}
}

// Batches implements batch.Logs.
func (s *Store) Batches(ctx context.Context) ([]batch.Entry, error) {
	return s.read(ctx, `WHERE number IN (SELECT min(number) FROM entries WHERE kind = ? GROUP BY batch) ORDER BY number`, string(batch.DefinitionLog))
}

// Remove implements batch.Logs. It is one transaction.
func (s *Store) Remove(ctx context.Context, id string) error {
	err := s.write(ctx, s.synced, func(tx *sql.Tx) error {
		for _, table := range []string{"queued", "blobs", "entries"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE batch = ?`, id); err != nil {
				return err
			}
		}
		return nil
	})
	s.wake.all()
	return err
}
