package file

import (
	"path/filepath"

	"github.com/gofrs/flock"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// Holder implements journal.HolderStore. A lock file without a process id costs one read. One with an id is tried to be
// locked, since a process that was killed leaves its id.
func (s *Store) Holder(id event.SessionID) (pid int) {
	if !journal.ValidID(id) {
		return 0
	}
	path := filepath.Join(s.folder(id), lockName)
	if pid = readHolder(path).pid; pid == 0 {
		return 0
	}
	l := flock.New(path, flock.SetFlag(noFollow))
	free, err := l.TryRLock()
	_ = l.Close()
	if free || err != nil {
		return 0
	}
	return pid
}
