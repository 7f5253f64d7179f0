package tool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley.dev/parley/internal/approval"
)

func startProgram(t *testing.T, ctx context.Context, env *Env, p Program) *RunningProgram {
	t.Helper()
	if p.Sandbox.Kind == "" {
		p.Sandbox.Kind = approval.SandboxNone
	}
	r, err := StartProgram(ctx, env, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestProgram: arguments are not shell text, each stream is by itself and is cut, variables are set and removed.
func TestProgram(t *testing.T) {
	env := shellEnv(t, nil)
	env.Environ = append(env.Environ, "GONE=1", "KEPT=2", "NEW=0")
	for name, c := range map[string]struct {
		p              Program
		code           int
		stdout, stderr string
	}{
		"arguments":   {Program{Args: []string{"echo", "$HOME", "a  b"}}, 0, "$HOME a  b\n", ""},
		"exit code":   {Program{Args: []string{"sh", "-c", "echo out; echo err >&2; exit 3"}}, 3, "out\n", "err\n"},
		"cut":         {Program{Args: []string{"sh", "-c", "printf abcdef; printf 12 >&2"}, Most: 4}, 0, "abcd", "12"},
		"not cut":     {Program{Args: []string{"printf", "abcd"}, Most: 4}, 0, "abcd", ""},
		"variables":   {Program{Args: []string{"sh", "-c", "echo $GONE,$KEPT,$NEW"}, Unset: []string{"GONE"}, Set: map[string]string{"NEW": "3"}}, 0, ",2,3\n", ""},
		"empty input": {Program{Args: []string{"cat"}}, 0, "", ""},
		"folder":      {Program{Args: []string{"pwd"}}, 0, env.Workspace.Dir() + "\n", ""},
	} {
		got := startProgram(t, t.Context(), env, c.p).Wait()
		if got.Exit.Code != c.code || string(got.Stdout) != c.stdout || string(got.Stderr) != c.stderr || got.TimedOut || got.Exit.Interrupted {
			t.Errorf("%s: %+v, %q, %q", name, got.Exit, got.Stdout, got.Stderr)
		}
	}
}

// TestProgramRefused: what cannot run is an error, and nothing is started.
func TestProgramRefused(t *testing.T) {
	env := shellEnv(t, nil)
	for name, p := range map[string]Program{
		"no program":  {Sandbox: approval.Sandbox{Kind: approval.SandboxNone}},
		"not there":   {Args: []string{"no-such-program"}, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}},
		"a path":      {Args: []string{"./x"}, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}},
		"no sandbox":  {Args: []string{"true"}},
		"NUL in args": {Args: []string{"echo", "a\x00"}, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}},
	} {
		if _, err := StartProgram(t.Context(), env, p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestProgramConfined: the sandbox holds for the program.
func TestProgramConfined(t *testing.T) {
	env := shellEnv(t, nil)
	if !env.Confines() {
		t.Skip("nothing can be confined here")
	}
	outside := filepath.Join(t.TempDir(), "made")
	for kind, works := range map[approval.SandboxKind]bool{approval.SandboxReadOnly: false, approval.SandboxNone: true} {
		got := startProgram(t, t.Context(), env, Program{Args: []string{"touch", outside}, Sandbox: approval.Sandbox{Kind: kind}}).Wait()
		if _, err := os.Stat(outside); (err == nil) != works || (got.Exit.Code == 0) != works {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
		_ = os.Remove(outside)
	}
}

// A streamLog is what a program has streamed.
type streamLog struct {
	mu     sync.Mutex
	text   map[Stream]string
	capped map[Stream]int
	news   chan struct{}
}

func newStreamLog() *streamLog {
	return &streamLog{text: map[Stream]string{}, capped: map[Stream]int{}, news: make(chan struct{}, 1)}
}

func (l *streamLog) add(s Stream, data []byte, capped bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text[s] += string(data)
	if capped {
		l.capped[s]++
	}
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// await waits until stdout is that.
func (l *streamLog) await(want string) {
	for {
		l.mu.Lock()
		got := l.text[Stdout]
		l.mu.Unlock()
		if got == want {
			return
		}
		<-l.news
	}
}

// TestProgramStreams: output comes while the program runs, input goes to it, and the cut is reported once.
func TestProgramStreams(t *testing.T) {
	env, log := shellEnv(t, nil), newStreamLog()
	r := startProgram(t, t.Context(), env, Program{Args: []string{"cat"}, Stdin: true, Output: log.add, Most: 6})
	for _, step := range []struct{ write, want string }{{"ab\n", "ab\n"}, {"cd\n", "ab\ncd\n"}} {
		if err := r.Write(t.Context(), []byte(step.write), false); err != nil {
			t.Fatal(err)
		}
		log.await(step.want)
	}
	if err := r.Write(t.Context(), []byte("ef\ngh\n"), true); err != nil {
		t.Fatal(err)
	}
	got := r.Wait()
	if got.Exit.Code != 0 || got.Stdout != nil || log.text[Stdout] != "ab\ncd\n" || log.capped[Stdout] != 1 || log.capped[Stderr] != 0 {
		t.Errorf("%+v, %+v", got, log)
	}
	if err := r.Write(t.Context(), []byte("x"), false); !errors.Is(err, ErrStdinEnded) {
		t.Errorf("a write after the end: %v", err)
	}
	if err := startProgram(t, t.Context(), env, Program{Args: []string{"true"}}).Write(t.Context(), nil, true); !errors.Is(err, ErrNoStdin) {
		t.Errorf("a write without an input: %v", err)
	}
}

// TestProgramEnds: a limit, a stop and the end of the context end a program with its children.
func TestProgramEnds(t *testing.T) {
	env := shellEnv(t, nil)
	for name, end := range map[string]func(r *RunningProgram, cancel context.CancelFunc){
		"limit":   nil,
		"stop":    func(r *RunningProgram, _ context.CancelFunc) { r.Stop() },
		"context": func(_ *RunningProgram, cancel context.CancelFunc) { cancel() },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		p := Program{Args: []string{"sh", "-c", "sleep 1000 & echo up; cat"}, Stdin: true}
		log := newStreamLog()
		p.Output = log.add
		if end == nil {
			p.Limit = 300 * time.Millisecond
		}
		r := startProgram(t, ctx, env, p)
		if end != nil {
			log.await("up\n")
			end(r, cancel)
		}
		if got := r.Wait(); !got.Exit.Interrupted || got.TimedOut != (end == nil) {
			t.Errorf("%s: %+v", name, got)
		}
		cancel()
	}
}

// TestProgramWriteWaits: a program that does not read holds a write only as long as its context, or itself, lives.
func TestProgramWriteWaits(t *testing.T) {
	env, log := shellEnv(t, nil), newStreamLog()
	r := startProgram(t, t.Context(), env, Program{Args: []string{"sh", "-c", "echo up; sleep 1000"}, Stdin: true, Output: log.add})
	log.await("up\n")
	much := []byte(strings.Repeat("x", 1<<20))
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("gone")
	cancel(cause)
	if err := r.Write(ctx, much, false); !errors.Is(err, cause) {
		t.Errorf("the context ended: %v", err)
	}
	written := make(chan error)
	go func() { written <- r.Write(t.Context(), much, false) }()
	r.Stop()
	if err := <-written; !errors.Is(err, ErrStdinEnded) {
		t.Errorf("the program ended: %v", err)
	}
	r.Wait()
}

// TestProgramSet: an id is taken while its program runs.
func TestProgramSet(t *testing.T) {
	env := shellEnv(t, nil)
	var set ProgramSet
	start := func(args ...string) func() (*RunningProgram, error) {
		return func() (*RunningProgram, error) {
			return StartProgram(t.Context(), env, Program{Args: args, Stdin: true, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}})
		}
	}
	if _, err := set.Start("a", start("no-such-program")); err == nil {
		t.Error("a program that is not there was started")
	}
	r, err := set.Start("a", start("cat"))
	if err != nil {
		t.Fatal(err)
	}
	if found, err := set.Find("a"); found != r || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := set.Start("a", start("cat")); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("twice: %v", err)
	}
	if _, err := set.Find("b"); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("unknown: %v", err)
	}
	r.Stop()
	r.Wait()
	if found, err := set.Find("a"); err == nil {
		t.Errorf("found after its end: %+v", found)
	}
	again, err := set.Start("a", start("true"))
	if err != nil {
		t.Fatalf("after its end: %v", err)
	}
	again.Wait()
}
