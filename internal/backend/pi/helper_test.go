package pi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
)

// A bench opens sessions of the scripted pi.
type bench struct {
	t       *testing.T
	ctx     context.Context
	script  string // path
	dir     string
	env     []string
	options Options
}

func newBench(t *testing.T, script string) *bench {
	t.Helper()
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(spawner.Close)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, ctx: t.Context(), script: filepath.Join(t.TempDir(), "script"), dir: t.TempDir()}
	if err := os.WriteFile(b.script, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	b.options = Options{Name: "pi:test", Folder: filepath.Join(t.TempDir(), "state"), StartLimit: time.Minute, Program: func(o backend.Opening) (backend.Program, error) {
		return backend.Program{
			Backend: "pi:test", Path: program, Args: []string{"--mode", "rpc"}, Dir: o.Dir,
			Env:     append([]string{scriptVariable + "=" + b.script, "HOME=/home/test", translated + "true"}, b.env...),
			Confine: sandbox.Policy{Level: sandbox.Full}, Spawner: spawner,
		}, nil
	}}
	return b
}

// open opens a session, which is closed with the test.
func (b *bench) open(o backend.Opening) *agent {
	b.t.Helper()
	o.Dir = b.dir
	a, err := New(b.options).Open(b.ctx, o)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(a.Close)
	return a.(*agent)
}

// received returns what pi has got.
func (b *bench) received() string {
	b.t.Helper()
	data, err := os.ReadFile(b.script + ".log")
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// turn prompts, and returns the updates, one a line, and the error of the turn. React is called with each update.
func (b *bench) turn(ctx context.Context, a *agent, text string, react func(backend.Update)) (lines []string) {
	b.t.Helper()
	for u, err := range a.Turn(ctx, promptText(text)) {
		if err != nil {
			return append(lines, "error: "+err.Error())
		}
		if react != nil {
			react(u)
		}
		lines = append(lines, lineOf(u))
	}
	return lines
}

func promptText(text string) backend.Prompt {
	return backend.Prompt{Blocks: []model.Block{model.TextBlock(text)}}
}

// lineOf returns an update as a test compares it.
func lineOf(u backend.Update) string {
	switch u := u.(type) {
	case backend.Text:
		return u.Message + " text " + u.Text
	case backend.Thought:
		return u.Message + " thought " + u.Text
	case backend.MessageEnd:
		return fmt.Sprintf("end of answer %s %d+%d %d %.2f", u.Model, u.Usage.Input, u.Usage.CacheRead, u.Usage.Output, u.Cost)
	case backend.Call:
		return fmt.Sprintf("call %s %s=%s %s %s %q %q %q", u.ID, u.Name, u.Tool, u.Input, u.Level, u.Paths, u.Command, u.Summary)
	case backend.Output:
		return fmt.Sprintf("output %s %q", u.Call, u.Text)
	case backend.CallEnd:
		line := fmt.Sprintf("end %s %s %q", u.Call, u.Outcome, u.Text)
		if u.NotRun {
			line += " not run"
		}
		for _, e := range u.Edits {
			before := "nothing"
			if e.Before != nil {
				before = fmt.Sprintf("%q", *e.Before)
			}
			line += fmt.Sprintf(" %s: %s to %q", filepath.Base(e.Path), before, e.After)
		}
		if s := u.Shell; s != nil {
			line += fmt.Sprintf(" shell %q %d %v %q", s.Command, s.ExitCode, s.TimedOut, s.Note)
		}
		return line
	case backend.Ask:
		return "ask " + u.Call
	case backend.Question:
		q := u.Questions[0]
		line := fmt.Sprintf("question %q", q.Text)
		for _, o := range q.Options {
			line += " " + o.Label
		}
		return line
	case backend.Usage:
		return fmt.Sprintf("usage %d of %d", u.Context, u.Window)
	case backend.Compacting:
		return "compacting"
	case backend.Compacted:
		return fmt.Sprintf("compacted %q %v", u.Summary, u.Failed)
	case backend.Retry:
		return fmt.Sprintf("retry %d of %d in %s: %s", u.Attempt, u.Max, u.Delay, u.Message)
	case backend.Note:
		return fmt.Sprintf("note %s %s %s", u.Level, u.Code, u.Text)
	case backend.End:
		line := "over: " + string(u.Reason)
		if u.Failure != nil {
			line += " " + string(u.Failure.Code) + " " + u.Failure.Message
		}
		return line
	}
	return fmt.Sprintf("%T", u)
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// allow answers what is asked: calls are allowed, and questions get the answer.
func allow(answer string) func(backend.Update) {
	return func(u backend.Update) {
		switch u := u.(type) {
		case backend.Ask:
			u.Answer(backend.Verdict{Allow: true})
		case backend.Question:
			u.Answer([][]string{{answer}}, nil)
		}
	}
}

// answered is what an answer of the scripted pi comes to.
var answered = []string{"end of answer test/one 100+30 20 0.25", "usage 150 of 1000"}

// lines returns lines with further ones in place of "answered".
func lines(all ...string) (out []string) {
	for _, line := range all {
		if line == "answered" {
			out = append(out, answered...)
		} else {
			out = append(out, line)
		}
	}
	return out
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s is missing in\n%s", part, text)
		}
	}
}
