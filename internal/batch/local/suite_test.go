package local

import (
	"testing"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/batch/batchtest"
)

// A medium is a folder.
type medium struct{ folder string }

func (m medium) Open(t *testing.T, visibility time.Duration) batch.Store {
	t.Helper()
	s, err := Open(m.folder, Options{Visibility: visibility})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSuite(t *testing.T) {
	batchtest.Run(t, func(t *testing.T) batchtest.Medium { return medium{t.TempDir()} })
}
