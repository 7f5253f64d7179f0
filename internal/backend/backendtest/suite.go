package backendtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
)

// Name is the name of the back end of the suite.
const Name = "test:agent"

// secret is a value that no message may contain.
const secret = "key-0123456789abcdef"

// A Subject is a driver under test.
type Subject struct {
	// New returns a back end whose agents are started as Options say. It is named Name.
	New func(Options) backend.Backend
	// Reasons reports whether agents of the protocol receive the reason of a denial.
	Reasons bool
	// NoSummaries reports whether agents of the protocol do not report the summary of a context.
	NoSummaries bool
}

// Options are how the agents of a back end are started.
type Options struct {
	Program             func(backend.Opening) (backend.Program, error)
	StartLimit, Silence time.Duration // 0: those of the driver
}

// Run is the suite: the same scripts with the same outcome in every protocol.
func Run(t *testing.T, s Subject) {
	for name, test := range map[string]func(*testing.T, Subject){
		"Answers":     testAnswers,
		"Permissions": testPermissions,
		"Interrupts":  testInterrupts,
		"Ends":        testEnds,
		"Faults":      testFaults,
		"Starts":      testStarts,
		"Flood":       testFlood,
		"Resume":      testResume,
		"Steer":       testSteer,
		"Settings":    testSettings,
		"Compact":     testCompact,
		"Fork":        testFork,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
}

// A fixture is a back end whose agents play a script.
type fixture struct {
	t       *testing.T
	ctx     context.Context
	dir     string // where the agent works
	script  string // path
	grace   time.Duration
	maxLine int
	options Options
	subject Subject
}

// patience is how long a test may take, however loaded the machine is.
const patience = 2 * time.Minute

func (s Subject) fixture(t *testing.T, script string) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	f := &fixture{t: t, ctx: ctx, dir: dir, script: filepath.Join(t.TempDir(), "script"), subject: s}
	if err := os.WriteFile(f.script, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	spawner := sandbox.NewSpawner(sandbox.Options{Grace: time.Second})
	t.Cleanup(spawner.Close)
	f.options.Program = func(o backend.Opening) (backend.Program, error) {
		path, err := os.Executable()
		return backend.Program{
			Backend: Name, Path: path, Dir: o.Dir, Spawner: spawner, Confine: sandbox.Policy{Level: sandbox.Full}, Grace: f.grace, MaxLine: f.maxLine,
			Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, scriptVariable + "=" + f.script}, Secrets: []string{secret},
		}, err
	}
	return f
}

// open opens a session of the agent. It is closed with the test.
func (f *fixture) open(session string) backend.Agent {
	f.t.Helper()
	a, err := f.tryOpen(session)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

func (f *fixture) tryOpen(session string) (backend.Agent, error) {
	a, err := f.subject.New(f.options).Open(f.ctx, backend.Opening{Session: session, Dir: f.dir})
	if err == nil {
		f.t.Cleanup(a.Close)
	}
	return a, err
}

// received returns what the agent has received.
func (f *fixture) received() string {
	f.t.Helper()
	data, err := os.ReadFile(f.script + ".log")
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

// A turn is what comes of a prompt.
type turn struct {
	lines []string // one for each update, as lineOf says; texts and outputs in a row are one
	usage model.Usage
	end   backend.End
	err   error
}

// run prompts the agent. Watch is called with each update, and answers what waits for an answer; nil: everything is allowed.
func (f *fixture) run(ctx context.Context, a backend.Agent, watch func(backend.Update)) (r turn) {
	f.t.Helper()
	if watch == nil {
		watch = allow
	}
	kind := ""
	for u, err := range a.Turn(ctx, prompt) {
		if err != nil {
			if r.err != nil {
				f.t.Errorf("two errors: %v, %v", r.err, err)
			}
			r.err = err
			continue
		}
		if r.end.Reason != "" || r.err != nil {
			f.t.Errorf("%T comes after the end", u)
		}
		switch u := u.(type) {
		case backend.MessageEnd:
			r.usage = r.usage.Add(u.Usage)
		case backend.End:
			r.usage, r.end = r.usage.Add(u.Usage), u
		}
		line, same := lineOf(u)
		if same != "" && same == kind {
			r.lines[len(r.lines)-1] += line
		} else if line != "" {
			r.lines = append(r.lines, same+line)
		}
		if line != "" {
			kind = same
		}
		watch(u)
	}
	if (r.end.Reason == "") == (r.err == nil) {
		f.t.Errorf("the turn has the end %q and the error %v", r.end.Reason, r.err)
	}
	return r
}

// runQuiet is run without lines.
func (f *fixture) runQuiet(a backend.Agent, watch func(backend.Update)) (r turn) {
	for u, err := range a.Turn(f.ctx, prompt) {
		if err != nil {
			r.err = err
			continue
		}
		if end, ok := u.(backend.End); ok {
			r.end = end
		}
		watch(u)
	}
	return r
}

// prompt is what the agent is prompted with.
var prompt = backend.Prompt{ID: "p-1", Blocks: []model.Block{model.TextBlock("Go on.")}}

// allow allows what is asked.
func allow(u backend.Update) {
	if ask, ok := u.(backend.Ask); ok {
		ask.Answer(backend.Verdict{Allow: true})
	}
}

// lineOf returns what a test compares of an update; "": nothing. Same begins the line of updates that are one in a row.
func lineOf(u backend.Update) (line, same string) {
	switch u := u.(type) {
	case backend.Text:
		return u.Text, "text "
	case backend.Thought:
		return u.Text, "thought "
	case backend.Call:
		var paths []string
		for _, path := range u.Paths {
			paths = append(paths, filepath.Base(path))
		}
		return strings.TrimSpace(fmt.Sprintf("call %s: level %s %s%s", u.ID, u.Level, u.Command, strings.Join(paths, " "))), ""
	case backend.Output:
		return u.Text, "output of " + u.Call + ": "
	case backend.CallEnd:
		if u.Outcome != event.Succeeded {
			return "end of " + u.Call + ": failed", "" // protocols differ in the outcomes, and in what a denied call returns
		}
		return fmt.Sprintf("end of %s: %s", u.Call, u.Text), ""
	case backend.Ask:
		return "ask for " + u.Call, ""
	case backend.Compacting:
		return "compacting", ""
	case backend.Compacted:
		return "compacted: " + u.Summary, ""
	case backend.End:
		line := "end: " + string(u.Reason)
		if u.Failure != nil {
			line += ", " + string(u.Failure.Code)
		}
		return line, ""
	}
	return "", ""
}

// want compares the lines of a turn.
func (r turn) want(t *testing.T, lines ...string) {
	t.Helper()
	if r.err != nil {
		t.Error(r.err)
	}
	if diff := cmp.Diff(lines, r.lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// wantFailure checks that an error is one of the back end, and returns its message.
func wantFailure(t *testing.T, err error, code backend.Code) string {
	t.Helper()
	failed, ok := errors.AsType[*backend.Error](err)
	if !ok || failed.Code != code || failed.Backend != Name {
		t.Fatalf("the error is %#v, want one of %s with the code %s", err, Name, code)
	}
	return failed.Message
}
