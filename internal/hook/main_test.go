package hook

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testLimit is the limit of a hook that sets none, and of each wait: it only ends a test that hangs, so
// a machine may be slow.
const testLimit = 5 * time.Minute

// newSet is hooks of one moment that run in a fresh folder, which is PWD and DIR of theirs.
func newSet(t testing.TB, m event.HookMoment, hooks ...Hook) (*Set, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(spawner.Close)
	hooks = slices.Clone(hooks)
	for i := range hooks {
		hooks[i].Limit = cmp.Or(hooks[i].Limit, testLimit)
	}
	s, err := New(Options{
		Hooks: map[event.HookMoment][]Hook{m: hooks}, Spawner: spawner,
		Environ: []string{"PATH=" + os.Getenv("PATH"), "GIVEN=yes"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// reportOf returns a report about a call of the tool "shell", shown as "bash".
func reportOf(m event.HookMoment, dir string) Report {
	r := Report{Moment: m, Session: "s1", Turn: "t1", Dir: dir}
	if m == event.BeforeTool || m == event.AfterTool {
		r.Call = &Call{
			ID: "c1", Tool: "shell", Shown: "bash", Input: jsontext.Value(`{"command":"ls"}`), OwnInput: jsontext.Value(`{"command":"ls"}`),
			Fit: func(input jsontext.Value) (jsontext.Value, error) {
				if !strings.Contains(string(input), "command") {
					return nil, os.ErrInvalid
				}
				return input, nil
			},
		}
	}
	return r
}

// hold makes a pipe named "held" in dir. gone checks that no process has it open any more, and
// returns how many processes have written a line into it.
func hold(t *testing.T, dir string) (gone func() int) {
	t.Helper()
	path := filepath.Join(dir, "held")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	return func() int {
		t.Helper()
		if err := pipe.SetReadDeadline(time.Now().Add(testLimit)); err != nil {
			t.Fatal(err)
		}
		lines, err := io.ReadAll(pipe)
		if err != nil {
			t.Fatalf("a process still has the pipe open: %q, %v", lines, err)
		}
		return bytes.Count(lines, []byte("\n"))
	}
}
