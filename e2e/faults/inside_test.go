//go:build linux

package faults

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/acp"
	"parley.dev/parley/internal/dialect/agentair"
	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/flint"
	"parley.dev/parley/internal/dialect/loaf"
	"parley.dev/parley/internal/dialect/pisces"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/background"
	"parley.dev/parley/internal/tool/shell"
)

// An inside is a dialect in this process: what is looked for there is goroutines that are
// left, and what a clock does that jumps; from outside neither can be seen.
type inside struct {
	place *dialecttest.Place
	host  *engine.Host
	in    io.Reader
	out   io.Writer
	stop  chan struct{}
	now   func() time.Time
}

// serves is how each dialect is served here, by name.
var serves = map[string]func(inside) int{
	"scaiflux": func(i inside) int {
		return scaiflux.Serve(context.Background(), scaiflux.Config{
			Host: i.host, In: i.in, Out: i.out, Log: slog.New(slog.DiscardHandler), Stop: i.stop,
			Flags: scaiflux.Flags{Model: "offline/script", Workspace: i.place.Work, Mode: approval.FullAccess},
		})
	},
	"pisces": func(i inside) int {
		flags := pisces.Flags{Cwd: i.place.Work, Home: i.place.Home, Agent: filepath.Join(i.place.Home, ".pisces", "agent"), Project: ".pisces"}
		flags.Sessions = filepath.Join(flags.Agent, "sessions")
		flags.Sandbox.Kind = approval.SandboxNone
		log := slog.New(slog.DiscardHandler)
		code, err := pisces.Serve(context.Background(), pisces.Config{
			Host: i.host, In: i.in, Out: i.out, Log: log, Flags: flags, Now: i.now, Stop: i.stop,
			Settings: pisces.ReadSettings(pisces.SettingsFiles{Agent: flags.Agent, Chosen: filepath.Join(i.place.Home, "pisces.json")}, log),
			Page: func(context.Context, io.Writer, string, iter.Seq2[event.Record, error], func(string) ([]byte, error)) error {
				return nil
			},
			BaseURL: func(string) string { return "" }, Skills: noSkills,
		})
		if err != nil {
			return -1
		}
		return code
	},
	"flint": func(i inside) int {
		return flint.Serve(context.Background(), flint.Config{
			Host: i.host, In: i.in, Out: i.out, Log: slog.New(slog.DiscardHandler), Stop: i.stop,
			Flags: flint.Flags{Model: "offline/script", Cwd: i.place.Work, Asking: approval.AskAlways, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}},
		})
	},
	"codex": func(i inside) int {
		flags := codex.DefaultFlags()
		flags.Model, flags.Cwd = "offline/script", i.place.Work
		return codex.Serve(context.Background(), codex.Config{
			Host: i.host, In: i.in, Out: i.out, Log: slog.New(slog.DiscardHandler), Now: i.now, Stop: i.stop, Home: i.place.Home, Flags: flags,
			Parts: codex.Parts{Servers: func(string) []engine.Server { return nil }},
		})
	},
	"loaf": func(i inside) int {
		return loaf.Serve(context.Background(), loaf.Config{
			Host: i.host, In: i.in, Out: i.out, Log: slog.New(slog.DiscardHandler), Now: i.now, Stop: i.stop,
			SignIn:   signedOut{},
			Flags:    loaf.Flags{Cwd: i.place.Work, Home: i.place.Home, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}},
			Settings: loaf.ReadSettings(filepath.Join(i.place.Home, "loaf.json"), slog.New(slog.DiscardHandler)),
			Skills:   noSkills, Signal: func() string { return "sigterm" },
		})
	},
	"agentair": func(i inside) int {
		return agentair.Serve(context.Background(), agentair.Config{
			Host: i.host, In: i.in, Out: i.out, Log: slog.New(slog.DiscardHandler), Now: i.now, Stop: i.stop,
			Flags: agentair.Flags{Model: "offline/script", Cwd: i.place.Work, Policy: agentair.Interactive},
		})
	},
	"acp": func(i inside) int {
		return acp.Serve(context.Background(), acp.Config{
			Host: i.host, In: i.in, Out: i.out, Log: slog.New(slog.DiscardHandler), Now: i.now, Stop: i.stop, Flags: acp.Flags{Model: "offline/script"},
		})
	},
}

// noSkills returns that there are no skills.
func noSkills() skill.Places { return skill.Places{} }

// signedOut is a SignIn without a user. Its other methods are not called here.
type signedOut struct{ loaf.SignIn }

func (signedOut) SignedIn() bool     { return false }
func (signedOut) HasKey(string) bool { return false }

// insideFaces returns the faces of dialects that run here: other agents are processes.
func insideFaces() []*face {
	return slices.DeleteFunc(slices.Clone(faces), func(f *face) bool { return serves[f.name] == nil })
}

// An insider is a dialect that runs here, and its client.
type insider struct {
	*run
	stop   chan struct{}
	stdout *io.PipeReader
	code   chan int
	lines  func() string // all that was said
}

// enter starts one, with a script for the model. now is its clock; edit changes the engine.
func enter(t *testing.T, f *face, script string, now func() time.Time, edit ...func(*engine.Config)) *insider {
	t.Helper()
	place := dialecttest.NewPlace(t, t.TempDir(), script)
	process, err := dialecttest.Open(place.Env, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	config := process.Config(dialecttest.NewModels(process.Getenv), func(e *tool.Env) { e.Background, e.Shell = background.New(), shell.NewState() })
	config.Now = now
	for _, edit := range edit {
		edit(&config)
	}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	outside := &stage.Place{Root: place.Work, Work: place.Work, Home: place.Home, Temp: t.TempDir(), Env: place.Env}
	i := &insider{run: &run{T: t, face: f, phase: &silent, place: outside}, stop: make(chan struct{}), stdout: stdout, code: make(chan int, 1)}
	i.client = f.dial()
	i.stdin = stdin
	i.asks = &asks{stdin: stdin, client: i.client, allowing: true}
	var mu sync.Mutex
	var all strings.Builder
	i.lines = func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
	i.tap = listen(t, stdout, func(line []byte) []sign {
		mu.Lock()
		defer mu.Unlock()
		all.Write(line)
		return i.client.read(line)
	}, i.asks.hear)
	go func() {
		code := serves[f.name](inside{place, engine.NewHost(config), in, out, i.stop, now})
		in.Close()
		out.Close()
		process.Close()
		i.code <- code
	}()
	return i
}

// leave waits for the end, after which the journal has everything.
func (i *insider) leave() {
	i.Helper()
	i.awaitEnd()
	folders, err := filepath.Glob(filepath.Join(i.place.Home, ".parley", "sessions", "*"))
	if err != nil || len(folders) != 1 {
		i.Fatalf("%d sessions, %v", len(folders), err)
	}
	if text := string(i.export(filepath.Base(folders[0]))); !strings.Contains(text, firstAnswer) || !strings.Contains(text, workPrompt) {
		i.Errorf("the journal has not everything: %s", text)
	}
}

// awaitEnd waits for the end.
func (i *insider) awaitEnd() {
	i.Helper()
	i.tap.end()
	select {
	case <-i.code:
	case <-time.After(dialecttest.Patience):
		i.Fatal("it does not end")
	}
	i.checkWire(false)
}

// insideScript returns a first turn, and one that a command and a silent model keep.
func insideScript(f *face) string {
	return "text " + firstAnswer + "\nnext\ntext Half\ncall " + f.shell + " " + f.input("echo done") + "\ntext An ans\nhang\ntext " + thenAnswer + "\n"
}

// TestGoroutines ends each dialect in each way in the middle of an answer; nothing of it is
// left in this process.
func TestGoroutines(t *testing.T) {
	for _, f := range insideFaces() {
		for way, end := range map[string]func(i *insider){
			"interrupted": func(i *insider) {
				i.send(i.client.interrupt())
				i.wantEnded(interrupted)
				i.say(thenPrompt, thenAnswer)
				i.hangUp()
			},
			"stopped": func(i *insider) { close(i.stop) },
			"EOF, stopped": func(i *insider) {
				i.hangUp()
				close(i.stop)
			},
			"unheard": func(i *insider) {
				i.stdout.Close()
				write(i.stdin, i.client.interrupt())
				write(i.stdin, i.client.knock())
			},
		} {
			t.Run(f.name+"/"+way, func(t *testing.T) {
				known := goleak.IgnoreCurrent()
				i := enter(t, f, insideScript(f), time.Now)
				i.client.open(i.run)
				i.say(firstPrompt, firstAnswer)
				i.prompt()
				if !f.tacit {
					i.client.accepted(i.await(accepted))
				}
				i.await(returned)
				i.await(text)
				end(i)
				i.leave()
				goleak.VerifyNone(t, known)
			})
		}
	}
}

// negative is a duration below zero, in any dialect's words.
var negative = regexp.MustCompile(`"(duration|durationMs|duration_ms|duration_s)":-`)

// TestClock has a clock that jumps, back and forth, by hours, each time that it is looked at:
// turns and calls are reported as ever, no duration is negative, and the journal is complete.
func TestClock(t *testing.T) {
	for _, f := range insideFaces() {
		t.Run(f.name, func(t *testing.T) {
			var mu sync.Mutex
			looks := 0
			now := func() time.Time {
				mu.Lock()
				defer mu.Unlock()
				looks++
				jump := time.Duration(looks) * 7 * time.Hour
				if looks%2 == 0 {
					jump = -jump
				}
				return time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC).Add(jump)
			}
			script := "text " + firstAnswer + "\nnext\ncall " + f.shell + " " + f.input("echo done") + "\nfail overloaded after=1ms Busy.\ntext " + thenAnswer + "\n"
			i := enter(t, f, script, now)
			i.client.open(i.run)
			i.say(firstPrompt, firstAnswer)
			i.prompt()
			if f.unshows {
				i.await(ended)
			}
			i.wantEnded(completed)
			i.hangUp()
			i.leave()
			i.checkWire(true)
			if wrong := negative.FindString(i.lines()); wrong != "" {
				t.Errorf("it says %s", wrong)
			}
			if looks < 10 {
				t.Errorf("the clock was looked at %d times only", looks)
			}
		})
	}
}
