package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/regular"
)

// This file contains what happens to the file of the index: how it is locked, read, continued and replaced.

const (
	// busyTimeout is how long other processes are waited for that use the index.
	busyTimeout = time.Minute
	// busyPoll is how often it is tried to lock the index meanwhile.
	busyPoll = 5 * time.Millisecond
)

// lock locks the index. It waits for other processes, but not for ever.
func (ix *index) lock(ctx context.Context) (*flock.Flock, error) {
	path := filepath.Join(ix.root, indexLockName)
	for end := time.Now().Add(busyTimeout); ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(fileMode))
		ok, err := tryLock(l)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", ix.path, err), l.Close())
		}
		if ok && sameFile(l, path) {
			return l, nil
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
		if ok {
			continue // the file was deleted
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("%s is locked by another process", ix.path)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(busyPoll):
		}
	}
}

// isOpenError reports whether err is of a lock file that cannot be opened or created. A lock that the file system does not have
// is another error.
func isOpenError(err error) bool {
	e, ok := errors.AsType[*fs.PathError](err)
	return ok && e.Op == "open"
}

// read returns the content of the index, and whether the file must be replaced when it is written next. It reads what follows the
// part that is in memory if the file is still the same, and else all of it. It returns nil if the index is missing, damaged, of
// another version, not a file, or cannot be read.
func (ix *index) read() (t *table, rewrite bool) {
	if ix.table != nil && ix.unwritten != nil && unchanged(ix.file, stat(ix.path)) {
		return ix.table, true
	}
	before, was := ix.table, ix.file
	if ix.unwritten != nil {
		before = nil
	}
	ix.file = stat(ix.path)
	f, err := regular.OpenNoFollow(ix.path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false
	}
	ix.file = info
	if before != nil && sameOrNone(was, info) && info.Size() >= before.size && before.isIn(f) {
		if torn, err := before.read(io.NewSectionReader(f, before.size, info.Size()-before.size)); err == nil {
			return before, torn
		}
	}
	t, torn, err := readTable(io.NewSectionReader(f, 0, info.Size()))
	if err != nil || t == nil || !t.complete {
		return nil, false
	}
	return t, torn
}

// isIn reports whether a file is the one of which the table was read.
func (t *table) isIn(f io.ReaderAt) bool {
	start := make([]byte, len(t.header))
	_, err := f.ReadAt(start, 0)
	return err == nil && string(start) == t.header
}

// write appends the changes of t to the file. It replaces the file when half of it is stale, after a
// rebuild, and when recent.jsonl was retired: so what is left of a file that was cut refers to the
// present recent.jsonl, or is not complete.
func (ix *index) write(t *indexTx) error {
	if stale := t.table.size + int64(len(t.lines)) - t.table.base; t.rewrite || stale > max(t.table.base, minStale) {
		return ix.replace(t.table)
	}
	f, err := os.OpenFile(ix.path, os.O_WRONLY|noFollow|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) { // another program deleted it
		return ix.replace(t.table)
	}
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(ix.file, info) { // another program replaced it
		return errors.Join(f.Close(), ix.replace(t.table))
	}
	if _, err := f.WriteAt(t.lines, t.table.size); err != nil {
		return errors.Join(err, f.Truncate(t.table.size), f.Close())
	}
	t.table.size += int64(len(t.lines))
	return f.Close()
}

// replace writes a new file. A process that is killed meanwhile leaves the file as it was.
func (ix *index) replace(t *table) error {
	path := ix.path + ".new"
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	err = t.writeTo(f)
	if err == nil {
		err = f.Sync() // before the lines of recent.jsonl are deleted
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = atomicfile.Rename(path, ix.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return syncFolder(ix.root)
}
