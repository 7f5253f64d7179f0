package file_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
)

// TestNoLocks: on a file system without locks a list fails at once.
func TestNoLocks(t *testing.T) {
	s := openStore(t, t.TempDir())
	createIn(t, s, "a")
	file.SetTryLock(t, func(*flock.Flock) (bool, error) { return false, syscall.ENOLCK })
	if _, err := s.List(t.Context(), journal.Query{}); !errors.Is(err, syscall.ENOLCK) {
		t.Errorf("List = %v", err)
	}
	if err := file.CheckLocks(t.TempDir()); !errors.Is(err, syscall.ENOLCK) {
		t.Errorf("CheckLocks = %v", err)
	}
}
