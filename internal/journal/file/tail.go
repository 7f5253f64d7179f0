package file

import (
	"errors"
	"os"
)

// maxTail is the maximum size of the unsynced tail that a lease retains, in bytes.
const maxTail = 4 << 20

// An unsyncedTail is the lines of a journal that no fsync has covered. After a failed fsync the system may
// have dropped them from its cache, and it reports the failure only once: a later fsync that succeeds means nothing unless
// they were written again.
type unsyncedTail struct {
	from   int64  // where they begin in the file
	lines  []byte // up to the end of the journal
	cut    bool   // they were more than maxTail: lines is empty
	failed bool   // an fsync failed since they were written
}

// add adds lines that were written at an offset.
func (t *unsyncedTail) add(lines []byte, offset int64) {
	if t.cut || len(t.lines)+len(lines) > maxTail {
		t.lines, t.cut = nil, true
		return
	}
	if len(t.lines) == 0 {
		t.from = offset
	}
	t.lines = append(t.lines, lines...)
}

// synced removes the lines up to an offset, which are on disk. end is the end of the journal.
func (t *unsyncedTail) synced(offset, end int64) {
	if offset == end {
		t.cut = false
	}
	left := t.lines[min(max(offset-t.from, 0), int64(len(t.lines))):]
	if cap(t.lines) > maxIdleBuffer {
		t.lines = append([]byte(nil), left...)
	} else {
		t.lines = append(t.lines[:0], left...)
	}
	t.from, t.failed = offset, false
}

// syncTail calls fsync. If that fails, it writes the unsynced tail again and calls fsync once more. It returns the end of what is on
// disk. The caller holds l.syncing.
func (l *lease) syncTail() (end int64, err error) {
	l.mu.Lock()
	end, failed := l.end.Offset, l.tail.failed
	l.mu.Unlock()
	if !failed && l.file.Sync() == nil {
		return end, nil
	}
	if end, err = l.rewriteTail(); err != nil {
		return 0, err
	}
	return end, l.file.Sync()
}

// rewriteTail writes the unsynced tail again, through a file that is opened anew: of that the system reports later failures. It returns
// the end of the journal.
func (l *lease) rewriteTail() (end int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail.failed = true
	if l.tail.cut {
		return 0, errors.New("too much was written since the last fsync to be written again")
	}
	again, err := l.store.opts.OpenFile(l.path(), os.O_RDWR|noFollow, 0)
	if err != nil {
		return 0, err
	}
	if !sameFile(l.file, l.path()) {
		return 0, errors.Join(notFound(l.id), again.Close())
	}
	if _, err := again.WriteAt(l.tail.lines, l.tail.from); err != nil {
		return 0, errors.Join(err, again.Close())
	}
	old := l.file
	l.file = again
	_ = old.Close() // what it failed to write was written again
	return l.end.Offset, nil
}
