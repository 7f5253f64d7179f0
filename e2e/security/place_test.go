package security

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/transcript"
)

// A place is the fresh folders that the program is started in. They are not in the temporary
// folder, which every command may write.
type place struct {
	*stage.Place
	t testing.TB
}

func newPlace(t testing.TB) *place {
	t.Helper()
	root, err := os.MkdirTemp("/var/tmp", "parley-security-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	p := &place{stage.NewPlaceIn(t, root), t}
	p.Temp = ""
	return p
}

// write puts a file below the place's root.
func (p *place) write(name, text string, mode fs.FileMode) string {
	p.t.Helper()
	path := filepath.Join(p.Root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// An ending is what a program left behind.
type ending struct {
	stdout, stderr string
	code           int
}

// run runs the program to its end.
func (p *place) run(args ...string) ending { return p.runWith("", args...) }

// runWith is run with something to read.
func (p *place) runWith(stdin string, args ...string) ending {
	p.t.Helper()
	return p.exec(stdin, append([]string{transcript.Build(p.t)}, args...)...)
}

// runOpen is run by a process whose umask hides nothing from anybody.
func (p *place) runOpen(args ...string) ending {
	p.t.Helper()
	return p.exec("", append([]string{"/bin/sh", "-c", `umask 0; exec "$@"`, "sh", transcript.Build(p.t)}, args...)...)
}

func (p *place) exec(stdin string, args ...string) ending {
	p.t.Helper()
	return p.execBy(nil, stdin, args...)
}

// copyProgram returns the program where every user can start it.
func (p *place) copyProgram() string {
	p.t.Helper()
	if err := os.Chmod(p.Root, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(p.Root, "bin"), 0o755); err != nil {
		p.t.Fatal(err)
	}
	path := filepath.Join(p.Root, "bin/parley")
	// Not in this process: a program that another test starts meanwhile would have the file open, and it would be busy.
	if out, err := exec.CommandContext(p.t.Context(), "cp", transcript.Build(p.t), path).CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// runLimit is how long a program may run: it tries dozens of escapes, one after the other, in one turn.
const runLimit = 5 * time.Minute

func (p *place) execBy(by *syscall.SysProcAttr, stdin string, args ...string) ending {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = p.Work
	cmd.Env = p.Command(p.t).Env
	cmd.SysProcAttr = by
	var out, notes bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &notes
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		p.t.Fatal(err)
	}
	if ctx.Err() != nil {
		p.t.Fatalf("%q does not end: %s", args, notes.String())
	}
	return ending{out.String(), notes.String(), cmd.ProcessState.ExitCode()}
}

// calls returns the end of each tool call, from the records that run --json prints.
func (p *place) calls(e ending) (ended []event.ToolEnded) {
	p.t.Helper()
	for line := range strings.Lines(e.stdout) {
		var rec event.Record
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			p.t.Fatalf("%v: %s", err, line)
		}
		if call, ok := rec.Event.(event.ToolEnded); ok {
			ended = append(ended, call)
		}
	}
	return ended
}

// shell returns a line of a script that calls the shell tool, and ends the answer.
func shell(command string) string {
	text, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err) // a map of strings
	}
	return "call shell " + string(text) + "\nnext\n"
}
