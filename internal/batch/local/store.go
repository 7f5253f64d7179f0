package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"parley.dev/parley/internal/batch"
)

// File names in the folder of a store.
const (
	databaseName = "batches.db"
	holdersName  = "holders"
	fileMode     = 0o600
	folderMode   = 0o700
)

// schemaVersion is the user_version of a database with this schema.
const schemaVersion = 1

const schema = `
CREATE TABLE entries (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	batch  TEXT NOT NULL,
	kind   TEXT NOT NULL,    -- a batch.LogKind
	task   TEXT NOT NULL,
	time   INTEGER NOT NULL, -- milliseconds since 1970
	data   BLOB NOT NULL
);
CREATE INDEX by_batch ON entries (batch, number);
CREATE INDEX by_log ON entries (batch, kind, task, number);
CREATE TABLE blobs (
	batch   TEXT NOT NULL,
	address TEXT NOT NULL,
	data    BLOB NOT NULL,
	PRIMARY KEY (batch, address)
);
CREATE TABLE queued (
	place    INTEGER PRIMARY KEY AUTOINCREMENT,
	queue    TEXT NOT NULL,
	batch    TEXT NOT NULL,
	task     TEXT NOT NULL,
	due      INTEGER NOT NULL,           -- when it may be delivered, in milliseconds since 1970
	holder   TEXT NOT NULL DEFAULT '',   -- the Store that it was delivered to; '': none
	delivery INTEGER NOT NULL DEFAULT 0, -- how often it was delivered
	UNIQUE (queue, batch, task)
);
CREATE INDEX by_queue ON queued (queue, batch, place);
CREATE INDEX by_holder ON queued (holder) WHERE holder <> '';
PRAGMA user_version = 1;
`

const (
	// busyTimeout is how long other processes are waited for that write.
	busyTimeout = time.Minute
	// busyPoll is how often it is tried where SQLite does not wait.
	busyPoll = 10 * time.Millisecond
	// defaultVisibility is that of Options.
	defaultVisibility = 30 * time.Second
)

// Options configure a Store; the zero value is valid.
type Options struct {
	// Visibility is how long a task that was pulled is not delivered again; 0: 30 s.
	Visibility time.Duration
}

// A Store is a batch.Store in a folder.
type Store struct {
	folder     string
	visibility time.Duration
	synced     *sql.DB // whose commits are on disk
	quick      *sql.DB // whose commits survive the end of the process only
	holder     *holder
	turns      turns
	wake       wake

	mu     sync.Mutex // guards closed
	closed bool
}

var _ batch.Store = (*Store)(nil)

// Open opens the store in a folder, which it makes if it is needed.
func Open(folder string, o Options) (_ *Store, err error) {
	if o.Visibility == 0 {
		o.Visibility = defaultVisibility
	}
	if err := os.MkdirAll(filepath.Join(folder, holdersName), folderMode); err != nil {
		return nil, fmt.Errorf("open the store of batches: %w", err)
	}
	s := &Store{folder: folder, visibility: o.Visibility}
	defer func() {
		if err != nil {
			_ = s.Close() // the first error counts
		}
	}()
	path := filepath.Join(folder, databaseName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode) // SQLite would make it readable by other users
	if err != nil {
		return nil, fmt.Errorf("open the store of batches: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if s.holder, err = newHolder(filepath.Join(folder, holdersName)); err != nil {
		return nil, fmt.Errorf("open the store of batches: %w", err)
	}
	if s.synced, err = openDatabase(path, "FULL"); err != nil {
		return nil, err
	}
	if s.quick, err = openDatabase(path, "NORMAL"); err != nil {
		return nil, err
	}
	if err := s.migrate(context.Background()); err != nil {
		return nil, fmt.Errorf("open the store of batches %s: %w", path, err)
	}
	return s, nil
}

func openDatabase(path, synchronous string) (*sql.DB, error) {
	settings := url.Values{
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "journal_mode(WAL)", "synchronous(" + synchronous + ")"},
		"_txlock": {"immediate"},
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// migrate creates the tables of a new database, and refuses one of a newer program.
func (s *Store) migrate(ctx context.Context) error {
	return s.write(ctx, s.synced, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		switch version {
		case schemaVersion:
			return nil
		case 0:
			_, err := tx.ExecContext(ctx, schema)
			return err
		}
		return fmt.Errorf("it has format %d, and this program knows format %d: use a newer parley", version, schemaVersion)
	})
}

// Close ends what the Store has started, and releases what it has pulled.
func (s *Store) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	if again {
		return nil
	}
	s.wake.all()
	var errs []error
	for _, db := range []*sql.DB{s.synced, s.quick} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.holder != nil {
		errs = append(errs, s.holder.release())
	}
	return errors.Join(errs...)
}

func (s *Store) checkUsable(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return batch.ErrClosed
	}
	return ctx.Err()
}

// write runs work in a transaction of its own.
func (s *Store) write(ctx context.Context, db *sql.DB, work func(*sql.Tx) error) error {
	if err := s.checkUsable(ctx); err != nil {
		return err
	}
	tx, err := begin(ctx, db)
	if err != nil {
		return s.asClosed(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if err := work(tx); err != nil {
		return s.asClosed(err)
	}
	return s.asClosed(tx.Commit())
}

// begin begins a transaction. It may be the first use of the database, which switches a new one to WAL; meanwhile SQLite refuses
// other processes at once, whatever busy_timeout is.
func begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	for end := time.Now().Add(busyTimeout); ; {
		tx, err := db.BeginTx(ctx, nil)
		if !isBusy(err) || time.Now().After(end) {
			return tx, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(busyPoll):
		}
	}
}

func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// asClosed returns ErrClosed for an error that Close has caused.
func (s *Store) asClosed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.closed {
		return batch.ErrClosed
	}
	return err
}

func milliseconds(t time.Time) int64 { return t.UnixMilli() }
