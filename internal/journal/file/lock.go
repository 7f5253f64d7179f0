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
	"parley.dev/parley/internal/regular"
)

// A lock is the right to write to a session's folder. The system releases it when the process ends.
type lock struct {
	file     *flock.Flock
	socket   string   // where this process takes clients; "": it is no host
	holder   *os.File // the same file, to write to; nil: that is not possible
	busy     bool     // what the file contains
	died     bool     // the holder before has not released it, or not synced what it wrote
	unsynced bool     // what was written may not be on disk
}

// acquireLock acquires the lock of a session's folder. It returns a *journal.LockedError if it is locked.
func (s *Store) acquireLock(folder string, id event.SessionID) (*lock, error) {
	path := filepath.Join(folder, lockName)
	for {
		l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(fileMode))
		ok, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock session %s: %w", id, err)
		}
		if !ok {
			h := readHolder(path)
			return nil, &journal.LockedError{ID: id, PID: h.pid, Busy: h.busy, Socket: h.socket}
		}
		if sameFile(l, path) {
			s.mu.Lock()
			socket := s.socket
			s.mu.Unlock()
			held := &lock{file: l, socket: socket, died: readHolder(path).pid != 0}
			held.holder, _ = os.OpenFile(path, os.O_WRONLY|noFollow, 0)
			if held.died && held.holder != nil {
				_ = held.holder.Truncate(0) // what it wrote may be longer
			}
			held.writeHolder(false)
			return held, nil
		}
		_ = l.Close() // the file belonged to a session that was just removed
	}
}

// release releases the lock. It does not remove the file: then two processes could lock different
// files of that name.
func (l *lock) release() error {
	if l.holder != nil {
		if !l.unsynced {
			_ = l.holder.Truncate(0) // otherwise this process could be reported instead of a later holder
		}
		_ = l.holder.Close()
	}
	return l.file.Close()
}

// busySuffix follows the process id of a holder that needs the lock for a long time.
const busySuffix = " busy"

// writeHolder writes to the lock file that this process has the lock, and whether it needs it for a
// long time. Errors are ignored: the content is for messages only.
func (l *lock) writeHolder(busy bool) {
	if l.holder == nil {
		return
	}
	suffix := strings.Repeat(" ", len(busySuffix)) // of the same length, so that no reader finds half of one
	if busy {
		suffix = busySuffix
	}
	text := strconv.Itoa(os.Getpid()) + suffix + "\n"
	if l.socket != "" {
		text += l.socket + "\n"
	}
	_, _ = l.holder.WriteAt([]byte(text), 0)
	l.busy = busy
}

// maxHolder is the maximum length of the content of a lock file, in bytes. The path of a socket has about 100 at most.
const maxHolder = 256

// A holder is what a lock file contains about the process that has the lock.
type holder struct {
	pid    int    // 0: it contains nothing
	busy   bool   // the process needs the lock for a long time
	socket string // where the process takes clients; "": it is no host
}

// readHolder returns what a lock file contains.
func readHolder(path string) holder {
	data, err := regular.ReadFile(path, maxHolder)
	if err != nil {
		return holder{}
	}
	line, rest, _ := strings.Cut(string(data), "\n")
	line, busy := strings.CutSuffix(line, busySuffix)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return holder{}
	}
	socket, _, _ := strings.Cut(rest, "\n")
	return holder{pid, busy, socket}
}
