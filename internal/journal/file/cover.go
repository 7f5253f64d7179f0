package file

import (
	"errors"
	"fmt"
	"syscall"
)

// cover puts on disk what the journal has now, after which r yields the lines up to there. The owner may be another process: what it
// has written and not synced may be lost, and must not be shown before. A process with the lease does that itself, and its readers
// read no further than it wrote.
//
// If fsync fails, nothing is yielded that was not covered. The owner, to which the system reports the failure too, writes the lines
// again.
func (r *reader) cover() error {
	info, err := r.file.Stat()
	if err == nil {
		err = r.store.opts.SyncFile(r.file)
	}
	if err != nil && !errors.Is(err, syscall.EROFS) { // nothing of a file system that is read-only waits for the disk
		return fmt.Errorf("sync session %s: %w", r.id, err)
	}
	r.covered = info.Size()
	return nil
}
