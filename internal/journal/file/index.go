package file

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// indexVersion is the user_version of an index that has this schema and is complete.
const indexVersion = 6

const (
	// busyTimeout is how long other processes are waited for that use the index.
	busyTimeout = time.Minute
	// busyPoll is how often it is tried where SQLite does not wait.
	busyPoll = 10 * time.Millisecond
)

const schema = `
DROP TABLE IF EXISTS sessions;
DROP TABLE IF EXISTS counts;
DROP TABLE IF EXISTS recent;
CREATE TABLE sessions (
	id        TEXT PRIMARY KEY,
	updated   TEXT NOT NULL,    -- a journal.SortKey
	created   TEXT NOT NULL,    -- the same
	workspace TEXT NOT NULL,
	archived  INTEGER NOT NULL,
	begun     INTEGER NOT NULL, -- whether a turn began
	words     TEXT NOT NULL,    -- what a search looks into, in lower case
	summary   TEXT NOT NULL     -- JSON
);
CREATE INDEX by_time ON sessions (archived, updated, id);
CREATE INDEX by_time_begun ON sessions (archived, updated, id) WHERE begun;
CREATE INDEX by_creation ON sessions (archived, created, id);
CREATE INDEX by_workspace ON sessions (workspace, archived, updated, id);
CREATE TABLE recent (
	offset INTEGER NOT NULL, -- how far recent.jsonl was ingested, in bytes
	spent  INTEGER NOT NULL  -- whether recent.retired.jsonl was, and can go
);
INSERT INTO recent VALUES (0, 0);
`

// countsSchema is the rest of the schema. It is created after the sessions are inserted: a rebuild
// takes a fifth longer if the triggers count each of them.
const countsSchema = `
CREATE TABLE counts (
	archived INTEGER PRIMARY KEY,
	sessions INTEGER NOT NULL -- how many of them there are; triggers keep count
);
INSERT INTO counts SELECT column1, (SELECT count(*) FROM sessions WHERE archived = column1) FROM (VALUES (0), (1));
CREATE TRIGGER entered AFTER INSERT ON sessions BEGIN
	UPDATE counts SET sessions = sessions + 1 WHERE archived = new.archived;
END;
CREATE TRIGGER moved AFTER UPDATE OF archived ON sessions WHEN old.archived <> new.archived BEGIN
	UPDATE counts SET sessions = sessions - 1 WHERE archived = old.archived;
	UPDATE counts SET sessions = sessions + 1 WHERE archived = new.archived;
END;
CREATE TRIGGER removed AFTER DELETE ON sessions BEGIN
	UPDATE counts SET sessions = sessions - 1 WHERE archived = old.archived;
END;
`

// An index is the database that List queries. Its content is derived from the journals; if it is
// missing or damaged it is rebuilt. Every use is one write transaction, so processes use it one
// after the other; writers of journals never use it.
type index struct {
	root string // of the store
	path string
	file fs.FileInfo // of the file that was opened
	db   *sql.DB
}

// openIndex opens the index of the store in root. The index may be empty or damaged.
func openIndex(root string) (*index, error) {
	if err := probeLocks(root); err != nil {
		return nil, err
	}
	path := filepath.Join(root, indexName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode) // SQLite would create it readable by other users
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	settings := url.Values{
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"},
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &index{root: root, path: path, file: info, db: db}, nil
}

func (ix *index) close() error { return ix.db.Close() }

// isCurrent reports whether the path still refers to the file that was opened.
func (ix *index) isCurrent() bool {
	info, err := os.Stat(ix.path)
	return err == nil && os.SameFile(info, ix.file)
}

// update brings the index up to date and runs work, in one transaction. With rebuild, or if
// the index is not complete, it rebuilds the index from the journals first.
func (ix *index) update(ctx context.Context, rebuild bool, work func(*indexTx) error) error {
	tx, err := ix.begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	t := &indexTx{ctx: ctx, tx: tx, root: ix.root}
	if rebuild || version != indexVersion {
		if err := t.rebuild(); err != nil {
			return err
		}
	}
	if err := t.ingest(); err != nil {
		return err
	}
	if err := work(t); err != nil {
		return err
	}
	return tx.Commit()
}

// begin begins a transaction. It may be the first use of the database, which switches a new one to
// WAL; meanwhile SQLite refuses other processes at once, whatever busy_timeout is.
func (ix *index) begin(ctx context.Context) (*sql.Tx, error) {
	for end := time.Now().Add(busyTimeout); ; {
		tx, err := ix.db.BeginTx(ctx, nil)
		if !hasCode(err, sqlite3.SQLITE_BUSY) || time.Now().After(end) {
			return tx, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(busyPoll):
		}
	}
}

// isDamaged reports whether an error means that the index has to be built anew: any error is one of damage, a summary that cannot be
// decoded and a table that is missing among them, but for those of the context, of files, and of a database that is in use or cannot
// be written.
func isDamaged(err error) bool {
	if _, of := errors.AsType[*fs.PathError](err); err == nil || of || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ {
		return true
	}
	return !hasCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT)
}

// hasCode reports whether err is an SQLite error with one of the primary result codes.
func hasCode(err error, codes ...int) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && slices.Contains(codes, e.Code()&0xff)
}

// backUp closes a damaged index and renames it, unless another process has done so already.
func (ix *index) backUp() error {
	if err := ix.close(); err != nil || !ix.isCurrent() {
		return err
	}
	backup, err := unusedName(ix.path + ".damaged")
	if err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(ix.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(ix.path, backup)
}

// unusedName returns the first of path-1, path-2 … that does not exist.
func unusedName(path string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", path, n)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
}
