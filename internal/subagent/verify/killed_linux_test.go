package verify

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/internal/boottime"
)

// TestKilled: a command that the Watchdog kills or refuses has failed, and its preview has the reason.
func TestKilled(t *testing.T) {
	const limit = time.Hour
	r := newRunner(t)
	w := r.Spawner.Watch(limit, errors.New("the store could not be reached for 12 s"))
	ready := filepath.Join(r.Dir, "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		if _, err := os.ReadFile(ready); err != nil {
			t.Error(err)
		}
		w.Renew(boottime.Now() - limit)
	}()
	a := r.Attempt(t.Context(), 1, []Command{{Name: "sleeps", Line: "echo >ready; exec sleep 1000"}, {Name: "follows", Line: "true"}})
	<-renewed
	if c := a.Commands[0]; c.ExitCode != 137 || !strings.HasSuffix(c.Preview, "the command was killed: the store could not be reached for 12 s") || c.TimedOut {
		t.Errorf("the command that ran: %+v", c)
	}
	if c := a.Commands[1]; c.ExitCode != 126 || !strings.HasSuffix(c.Preview, "the store could not be reached for 12 s") {
		t.Errorf("the command that followed: %+v", c)
	}
}
