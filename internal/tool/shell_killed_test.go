//go:build unix

package tool

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/boottime"
)

var errLease = errors.New("the store could not be reached for 12 s")

// atOutput returns a function for live output that renews a lease too late, so that its limit has passed.
func atOutput(renew func(sent time.Duration), limit time.Duration) func(string) {
	return func(string) { renew(boottime.Now() - limit) }
}

// TestShellKilled: what the Watchdog of the commands kills or refuses has its error.
func TestShellKilled(t *testing.T) {
	env := shellEnv(t, nil)
	const limit = time.Hour
	w := env.Spawner.Watch(limit, errLease)
	none := approval.Sandbox{Kind: approval.SandboxNone}
	call := prepareShell(t, env, map[string]any{"command": "echo so far; sleep 1000"})
	r := call.Run(t.Context(), Hooks{Sandbox: none, Output: atOutput(w.Renew, limit)})
	if want := "so far\n[killed: the store could not be reached for 12 s]"; r.Text != want || !r.IsError || r.Shell.Signal != "SIGKILL" || r.Shell.TimedOut {
		t.Errorf("%q, error %t, %+v", r.Text, r.IsError, r.Shell)
	}
	r = prepareShell(t, env, map[string]any{"command": "echo more"}).Run(t.Context(), Hooks{Sandbox: none, Output: func(string) {}})
	if !strings.Contains(r.Text, errLease.Error()) || strings.Contains(r.Text, "more") || !r.IsError {
		t.Errorf("after the limit: %q, error %t", r.Text, r.IsError)
	}
	w.Renew(boottime.Now())
	r = prepareShell(t, env, map[string]any{"command": "echo again"}).Run(t.Context(), Hooks{Sandbox: none, Output: func(string) {}})
	if r.Text != "again\n" || r.IsError {
		t.Errorf("after a renewal: %q, error %t", r.Text, r.IsError)
	}
}

func TestRunCommandKilled(t *testing.T) {
	env := shellEnv(t, nil)
	const limit = time.Hour
	w := env.Spawner.Watch(limit, errLease)
	r, err := RunCommand(t.Context(), env, UserCommand{
		Line: "printf 'so far'; sleep 1000", MaxBytes: 1000, Output: atOutput(w.Renew, limit), Sandbox: approval.Sandbox{Kind: approval.SandboxNone},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "so far\n[killed: the store could not be reached for 12 s]\n"; r.Ran.Output != want || r.Ran.Cancelled || r.Ran.Shell.Signal != "SIGKILL" {
		t.Errorf("%+v", r.Ran)
	}
}

func TestBackgroundKilled(t *testing.T) {
	env := backgroundEnv(t, nil)
	const limit = time.Hour
	w := env.Spawner.Watch(limit, errLease)
	runIn(t, env, BackgroundStart(), in{"command": "echo ready; exec sleep 1000"})
	readUntil(t, env, "b1", "ready")
	w.Renew(boottime.Now() - limit)
	awaitEnd(t, env, "b1")
	expectIn(t, env, BackgroundList(), in{"ended": true}, "b1: echo ready; exec sleep 1000 [killed: the store could not be reached for 12 s]\n")
}
