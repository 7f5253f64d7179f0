package backend

import (
	"errors"
	"io"
	"testing"
	"time"

	"parley.dev/parley/internal/boottime"
	"parley.dev/parley/internal/sandbox"
)

// TestKilledProcess: an agent that the Watchdog of the commands kills has ended because of it.
func TestKilledProcess(t *testing.T) {
	const limit = time.Hour
	lease := errors.New("the store could not be reached for 12 s")
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(spawner.Close)
	w := spawner.Watch(limit, lease)
	p := Program{Backend: "agent", Path: "/bin/sh", Args: []string{"-c", "echo '{}'; exec sleep 1000"}, Dir: "/", Confine: sandbox.Policy{Level: sandbox.Full}, Spawner: spawner}
	g, err := Start(p)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if _, err := g.Next(); err != nil {
		t.Fatal(err)
	}
	w.Renew(boottime.Now() - limit)
	if _, err := g.Next(); err != io.EOF {
		t.Errorf("its output ends with %v", err)
	}
	<-g.Ended()
	if got, want := g.Exit(), "its process was killed: "+lease.Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := Start(p); !errors.As(err, new(*Error)) || err.Error() == "" {
		t.Errorf("an agent after the limit: %v", err)
	}
}
