package local

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// A holder is the mark of an open Store: a locked file, which the system unlocks when the process ends.
type holder struct {
	id   string
	lock *flock.Flock

	mu      sync.Mutex
	checked time.Time // when the locks of others were tried last
}

// orphanCheck is how often the locks of other stores are tried.
const orphanCheck = time.Second

// newHolder makes a mark, and removes those of processes that have ended.
func newHolder(folder string) (*holder, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if path := filepath.Join(folder, e.Name()); !isAlive(path) {
			_ = os.Remove(path) // one that stays is only clutter
		}
	}
	id := make([]byte, 6)
	_, _ = rand.Read(id) // never fails
	name := hex.EncodeToString(id)
	for {
		l := flock.New(filepath.Join(folder, name), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(fileMode))
		if err := l.Lock(); err != nil {
			return nil, err
		}
		locked, err := l.Stat()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		if there, err := os.Stat(l.Path()); err == nil && os.SameFile(locked, there) {
			return &holder{id: name, lock: l}, nil
		}
		_ = l.Close() // another process removed the file before it was locked
	}
}

// release removes the mark.
func (h *holder) release() error {
	_ = os.Remove(h.lock.Path()) // one that stays is removed by the next Open
	return h.lock.Close()
}

// due reports whether it is time to look for orphans.
func (h *holder) due() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.checked) < orphanCheck {
		return false
	}
	h.checked = time.Now()
	return true
}

// isAlive reports whether the Store of a mark is open.
func isAlive(path string) bool {
	l := flock.New(path, flock.SetFlag(os.O_RDWR))
	free, err := l.TryLock()
	_ = l.Close()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // not known
	}
	return !free
}

// releaseOrphans makes the tasks due that were delivered to stores which are closed, or whose process has ended.
func (s *Store) releaseOrphans(ctx context.Context) error {
	if !s.holder.due() {
		return nil
	}
	return s.write(ctx, s.quick, func(tx *sql.Tx) error {
		holders, err := holdersOf(ctx, tx)
		for _, id := range holders {
			if err == nil && id != s.holder.id && !isAlive(filepath.Join(s.folder, holdersName, id)) {
				_, err = tx.ExecContext(ctx, `UPDATE queued SET due = 0, holder = '' WHERE holder = ?`, id)
			}
		}
		return err
	})
}

func holdersOf(ctx context.Context, tx *sql.Tx) (ids []string, err error) {
	for last := ""; ; {
		err := tx.QueryRowContext(ctx, `SELECT coalesce(min(holder), '') FROM queued WHERE holder <> '' AND holder > ?`, last).Scan(&last)
		if err != nil || last == "" {
			return ids, err
		}
		ids = append(ids, last)
	}
}
