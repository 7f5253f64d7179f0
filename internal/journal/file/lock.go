package file

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A lock is the right to write in a session's folder. The system takes it back when the
// process dies.
type lock struct {
	file *flock.Flock
}

// hold takes the lock of a folder; *journal.LockedError if somebody else has it.
func hold(folder string, id event.SessionID) (*lock, error) {
	path := filepath.Join(folder, lockName)
	for {
		l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(fileMode))
		ok, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock session %s: %w", id, err)
		}
		if !ok {
			return nil, &journal.LockedError{ID: id, PID: holder(path)}
		}
		if sameFile(l, path) {
			// The number is a courtesy to those who are refused; a full disk may lack it.
			if f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|noFollow, 0); err == nil {
				_, _ = f.Write(strconv.AppendInt(nil, int64(os.Getpid()), 10))
				_ = f.Close()
			}
			return &lock{l}, nil
		}
		_ = l.Close() // it went with a session that was removed in between
	}
}

// release gives the lock back. The file stays: removing it would let two in.
func (l *lock) release() error {
	if sameFile(l.file, l.file.Path()) {
		_ = os.Truncate(l.file.Path(), 0) // else a later holder could be taken for this process
	}
	return l.file.Close()
}

// holder is the process id in a lock file; 0 if there is none.
func holder(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 0
	}
	return pid
}
