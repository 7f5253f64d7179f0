package file

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// minStale is the size of stale lines from which the index is rewritten, in bytes.
	minStale = 64 << 10
	// writePause is how long the index is only kept in memory after it could not be written.
	writePause = 10 * time.Second
	// unlockedAttempts is how often the index is read again that other processes replaced meanwhile, if it cannot be locked.
	unlockedAttempts = 3
)

// oldNames are, the most important last, the files of the index of earlier versions.
var oldNames = []string{"index.db-wal", "index.db-shm", "index.db"}

// An index is the file that List reads. It is append-only: each line is a change of a session, and
// what the process has read of it is kept in memory. Its content is derived from the journals; if it
// is missing or damaged it is rebuilt. Processes change it one after the other, under a lock of its
// own; writers of journals never use it.
//
// Where it cannot be written, as on a full disk or in a folder that is read-only, what is in memory
// is complete all the same: unwritten changes stay there, and are written once that is possible.
type index struct {
	root, path string                // of the store, and of the index in it
	rebuilding func(done, total int) // Options.Rebuilding
	using      chan struct{}

	// What follows is guarded by using.
	table      *table      // the content of the file, and what was ingested since; nil: nothing was read
	file       fs.FileInfo // of the index, as it was read or written; nil: there was none
	recent     fs.FileInfo // of recent.jsonl, before it was ingested; nil: there was none
	old        fs.FileInfo // of the index of an earlier version for which this one was rebuilt; nil: there was none
	unwritten  error       // why table has changes that the file has not; nil: it has none
	failure    error       // of the last write that failed
	writeAfter time.Time   // when to try it again
}

func newIndex(root string, rebuilding func(done, total int)) *index {
	return &index{root: root, path: filepath.Join(root, indexName), rebuilding: rebuilding, using: make(chan struct{}, 1)}
}

// update brings the index up to date and runs work. With rebuild, or if there is no index that can be read, it rebuilds the index
// from the journals first. A rebuild fails if the index cannot be written.
func (ix *index) update(ctx context.Context, rebuild bool, work func(*table) error) error {
	select {
	case ix.using <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-ix.using }()
	if rebuild || !ix.isCurrent() {
		if err := ix.refresh(ctx, rebuild); err != nil {
			ix.table = nil
			return err
		}
	}
	if rebuild && ix.unwritten != nil {
		return ix.unwritten
	}
	return work(ix.table)
}

// isCurrent reports whether what is in memory is all that there is: no file has changed.
func (ix *index) isCurrent() bool {
	if ix.table == nil || ix.table.progress.retiredIngested && ix.unwritten == nil { // the retired file can be deleted
		return false
	}
	return unchanged(ix.recent, stat(filepath.Join(ix.root, recentName))) && unchanged(ix.file, stat(ix.path))
}

// refresh reads what is new in the index and in recent.jsonl, and writes the index if that is possible.
func (ix *index) refresh(ctx context.Context, rebuild bool) error {
	held, err := ix.lock(ctx)
	if isOpenError(err) {
		return ix.refreshUnlocked(ctx, rebuild, err)
	}
	if err != nil {
		return err
	}
	defer held.Close() //nolint:errcheck // the lock is released in any case
	now := time.Now()
	t, err := ix.load(ctx, rebuild, rebuild || now.After(ix.writeAfter))
	if err != nil {
		return err
	}
	switch {
	case !t.changed():
		ix.unwritten = nil
	case !t.canWrite:
		ix.unwritten = ix.failure
	default:
		if ix.unwritten = ix.write(t); ix.unwritten != nil {
			ix.failure, ix.writeAfter = ix.unwritten, now.Add(writePause)
		}
		ix.file = stat(ix.path)
	}
	if ix.unwritten == nil {
		for _, name := range oldNames {
			_ = os.Remove(filepath.Join(ix.root, name)) // one that stays is tried again after the next change
		}
	}
	return nil
}

// refreshUnlocked is refresh where no lock can be made, for reason. It writes nothing. What other processes write meanwhile is
// harmless: they append to the index, or give its name to another file, and an incomplete last line is not read.
func (ix *index) refreshUnlocked(ctx context.Context, rebuild bool, reason error) error {
	for attempt := 1; ; attempt++ {
		t, err := ix.load(ctx, rebuild, false)
		if err != nil {
			return err
		}
		if ix.unwritten = nil; t.changed() {
			ix.unwritten = reason
		}
		consistent := sameOrNone(ix.file, stat(ix.path)) && sameOrNone(ix.recent, stat(filepath.Join(ix.root, recentName)))
		if consistent || attempt == unlockedAttempts {
			return nil
		}
		ix.table = nil // the files were not of the same time
	}
}

// load reads what is new in the index, or rebuilds it, and ingests recent.jsonl. It changes the index only in memory.
func (ix *index) load(ctx context.Context, rebuild, canWrite bool) (*indexTx, error) {
	t := &indexTx{ctx: ctx, root: ix.root, canWrite: canWrite, rebuilding: ix.rebuilding}
	old := stat(filepath.Join(ix.root, oldNames[len(oldNames)-1]))
	// A program of an earlier version may have replaced recent.jsonl, whose lines the index lacks then.
	rebuild = rebuild || old != nil && !unchanged(ix.old, old)
	if !rebuild {
		t.table, t.rewrite = ix.read()
	}
	ix.recent = stat(filepath.Join(ix.root, recentName))
	if t.table == nil || !t.continues() {
		if err := t.rebuild(); err != nil {
			return nil, err
		}
	}
	if err := t.ingest(); err != nil {
		return nil, err
	}
	ix.table, ix.old = t.table, old
	return t, nil
}

// stat returns what there is at a path; nil if there is nothing, or that is not known.
func stat(path string) fs.FileInfo {
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	return info
}

// unchanged reports whether a file is as it was before.
func unchanged(before, now fs.FileInfo) bool {
	return sameOrNone(before, now) && (now == nil || before.Size() == now.Size() && before.ModTime().Equal(now.ModTime()))
}

// sameOrNone reports whether two are the same file, or there is none.
func sameOrNone(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b)
}
