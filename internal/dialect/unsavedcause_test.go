package dialect

import (
	"errors"
	"fmt"
	"testing"

	"parley.dev/parley/internal/engine"
)

// TestUnsavedCause: the cause follows the words of a protocol, without the operation that failed before.
func TestUnsavedCause(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{engine.ErrUnsaved, ""},
		{fmt.Errorf("%w: %w", engine.ErrUnsaved, errors.New("no space left on device")), ": no space left on device"},
		{fmt.Errorf("open session: %w: write journal: disk quota exceeded", engine.ErrUnsaved), ": write journal: disk quota exceeded"},
		{errors.New("another"), ""},
	} {
		if got := UnsavedCause(c.err); got != c.want {
			t.Errorf("%v: %q", c.err, got)
		}
	}
}
