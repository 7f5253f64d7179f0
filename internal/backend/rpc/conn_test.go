package rpc

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/sandbox"
)

// TestLost: the error of a request that an agent does not read says how it has ended, and what it wrote.
func TestLost(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(spawner.Close)
	for name, send := range map[string]func(*Conn) error{
		"request":      func(c *Conn) error { return c.Call(t.Context(), "initialize", nil, nil) },
		"notification": func(c *Conn) error { return c.Notify("initialized", nil) },
	} {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
			t.Skipf("mkfifo: %v %s", err, out)
		}
		process, err := backend.Start(backend.Program{
			Backend: "x", Path: shell, Args: []string{"-c", `exec <&-; read x <"$0"; echo no licence >&2; exit 4`, pipe},
			Dir: t.TempDir(), Env: os.Environ(), Confine: sandbox.Policy{Level: sandbox.Full}, Spawner: spawner,
		})
		if err != nil {
			t.Fatal(err)
		}
		c := New(process, Options(true), nil)
		release, err := os.OpenFile(pipe, os.O_WRONLY, 0) // once the input is closed
		if err != nil {
			t.Fatal(err)
		}
		go release.Close()
		err = send(c)
		if failed, ok := errors.AsType[*backend.Error](err); !ok || failed.Code != backend.CodeGone || !strings.Contains(failed.Message, "code 4; it says: no licence") {
			t.Errorf("%s: %v", name, err)
		}
		process.Close()
	}
}
