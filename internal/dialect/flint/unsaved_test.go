package flint

import (
	"errors"
	"fmt"
	"testing"

	"parley.dev/parley/internal/engine"
)

// TestUnsavedThread: a client is sent why a thread cannot be saved.
func TestUnsavedThread(t *testing.T) {
	err := fmt.Errorf("%w: %w", engine.ErrUnsaved, errors.New("no space left on device"))
	if got := failure("t", err).Message; got != "The thread cannot be saved: no space left on device" {
		t.Errorf("%q", got)
	}
}
