package file

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/journal"
)

// CheckIndex returns an error if the index of the store in a folder is damaged. It writes nothing: the next list rebuilds it.
func CheckIndex(ctx context.Context, root string) error {
	if there, err := exists(filepath.Join(root, indexName)); err != nil || !there {
		return err
	}
	ix, err := openIndex(root)
	if err != nil {
		return err
	}
	defer func() { _ = ix.close() }() // nothing was written
	tx, err := ix.begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var found string
	if err := tx.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%s is damaged: %s", ix.path, found)
	}
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil || version != indexVersion {
		return err // an index of another version is rebuilt
	}
	rows, err := tx.QueryContext(ctx, "SELECT summary FROM sessions")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		var sum journal.Summary
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &sum); err != nil {
			return fmt.Errorf("%s is damaged: %w", ix.path, err)
		}
	}
	return rows.Err()
}

// probeLocks returns an error if files in a folder cannot be locked, as on some network file systems: SQLite would wait for
// a minute. A folder in which no file can be created is not probed.
func probeLocks(folder string) error {
	if err := tryLock(folder); err != nil {
		return fmt.Errorf("files in %s cannot be locked: %w", folder, err)
	}
	return nil
}

// CheckLocks returns an error if files in a folder cannot be locked.
func CheckLocks(folder string) error { return probeLocks(folder) }

// tryLock is replaced by tests.
var tryLock = lockProbe
