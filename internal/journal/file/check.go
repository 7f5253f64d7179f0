package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"parley.dev/parley/internal/regular"
)

// CheckIndex returns an error if the index of the store in a folder is damaged. It writes nothing: the next list rebuilds it.
func CheckIndex(ctx context.Context, root string) error {
	if there, err := exists(filepath.Join(root, indexName)); err != nil || !there {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	path := filepath.Join(root, indexName)
	f, err := regular.OpenNoFollow(path)
	if err != nil {
		return err
	}
	defer f.Close()
	t, _, err := readTable(f) // nil: an index of another version, which is rebuilt
	if err == nil && t != nil && !t.complete {
		err = fmt.Errorf("%w: it is not complete", errDamaged)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// CheckLocks returns an error if files in a folder cannot be locked, as on some network file systems. A folder in which no file can be
// created is not checked.
func CheckLocks(folder string) error {
	f, err := os.CreateTemp(folder, "lock-*")
	if err != nil {
		return nil
	}
	l := flock.New(f.Name(), flock.SetFlag(os.O_RDWR))
	_, err = tryLock(l)
	if err := errors.Join(err, l.Close(), f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("files in %s cannot be locked: %w", folder, err)
	}
	return nil
}

// tryLock is replaced by tests.
var tryLock = (*flock.Flock).TryLock
