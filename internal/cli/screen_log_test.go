package cli

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"parley.dev/parley/internal/console"
)

// TestScreenLog: the user reads warnings and errors as lines of the screen, without what the screen shows itself.
func TestScreenLog(t *testing.T) {
	var out, notes strings.Builder
	log := NewScreenLog(console.NewScreen(&out, &notes, false), slog.LevelInfo, "shown").With("session", "s-1")
	log.Warn("not stored", "error", errors.New("disk\x1b full"))
	log.Error("broken")
	log.Warn("shown", "error", "x")
	log.Debug("not logged")
	if want := "[warning] not stored (session s-1): disk␛ full\n[error] broken (session s-1)\n"; notes.String() != want {
		t.Errorf("%q, want %q", notes.String(), want)
	}
	notes.Reset()
	if log.Info("details"); !strings.HasSuffix(notes.String(), " level=INFO msg=details session=s-1\n") {
		t.Errorf("%q", notes.String())
	}
	if out.Len() > 0 {
		t.Errorf("the answer is %q", out.String())
	}
}
