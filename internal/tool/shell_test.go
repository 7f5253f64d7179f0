//go:build unix

package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/environ"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspacetest"
)

// shellEnv returns the surroundings of real commands in a workspace with these files.
func shellEnv(t testing.TB, files map[string]string) *Env {
	t.Helper()
	spawner := sandbox.NewSpawner(sandbox.Options{Grace: 100 * time.Millisecond})
	t.Cleanup(spawner.Close)
	return &Env{Workspace: workspacetest.New(t, files), Spawner: spawner, Environ: environ.ForChildren(os.Environ())}
}

func prepareShell(t testing.TB, env *Env, in map[string]any) Call {
	t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	call, err := Shell().Prepare(env, input)
	if err != nil {
		t.Fatal(err)
	}
	return call
}

// runShell runs one command; what it shows live must be what the result has.
func runShell(t testing.TB, env *Env, in map[string]any) Result {
	t.Helper()
	var live liveText
	r := prepareShell(t, env, in).Run(t.Context(), live.hooks())
	if !utf8.ValidString(r.Text) || len(r.Text) > 30<<10 {
		t.Errorf("the text is %d bytes, or not UTF-8", len(r.Text))
	}
	if in["separate"] == nil && r.Full == nil && !strings.HasPrefix(r.Text, live.String()) {
		t.Errorf("shown live: %q, in the end: %q", live.String(), r.Text)
	}
	return r
}

// liveText keeps what a call shows.
type liveText struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func (l *liveText) hooks() Hooks {
	l.news = make(chan struct{}, 1)
	return Hooks{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}, Output: func(text string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.text.WriteString(text)
		select {
		case l.news <- struct{}{}:
		default:
		}
	}}
}

func (l *liveText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestShell(t *testing.T) {
	env := shellEnv(t, map[string]string{"sub/leaf.txt": "leaf\n"})
	for _, tc := range []struct {
		name string
		in   map[string]any
		want string
		run  event.ShellRun
	}{
		{"silence", map[string]any{"command": "true"}, "", event.ShellRun{}},
		{"workspace", map[string]any{"command": "cat sub/leaf.txt"}, "leaf\n", event.ShellRun{}},
		{"folder", map[string]any{"command": "cat leaf.txt; echo $PWD", "dir": "sub"}, "leaf\n" + env.Workspace.Dir() + "/sub\n", event.ShellRun{Dir: env.Workspace.Dir() + "/sub"}},
		{"as it came", map[string]any{"command": "echo 1; echo 2 >&2; echo 3"}, "1\n2\n3\n", event.ShellRun{}},
		{"separate", map[string]any{"command": "echo 1; echo 2 >&2; printf 3", "separate": true}, "1\n3\n2\n", event.ShellRun{Streams: &event.ShellStreams{Stdout: 3, Stderr: 2}}},
		{"separate, errors only", map[string]any{"command": "echo 2 >&2", "separate": true}, "2\n", event.ShellRun{Streams: &event.ShellStreams{Stderr: 2}}},
		{"exit code", map[string]any{"command": "echo no; exit 3"}, "no\n[exit code 3]", event.ShellRun{ExitCode: 3}},
		{"unfinished line", map[string]any{"command": "printf no; exit 3"}, "no\n[exit code 3]", event.ShellRun{ExitCode: 3}},
		{"silent failure", map[string]any{"command": "false"}, "[exit code 1]", event.ShellRun{ExitCode: 1}},
		{"signal", map[string]any{"command": "kill -KILL $$"}, "[killed by signal SIGKILL]", event.ShellRun{ExitCode: -1, Signal: "SIGKILL"}},
		{"timeout", map[string]any{"command": "printf 'so far'; exec sleep 1000", "timeout_ms": 5000}, "so far\n[timed out after 5 s]", event.ShellRun{ExitCode: -1, Signal: "SIGTERM", TimedOut: true}},
		{"binary", map[string]any{"command": `printf 'a\0\0\377b\303'; printf '\251\342\202'`}, "a\uFFFDbé\uFFFD", event.ShellRun{}},
		{"no stdin", map[string]any{"command": "cat; echo end"}, "end\n", event.ShellRun{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := runShell(t, env, tc.in)
			if r.Text != tc.want || r.IsError != strings.HasSuffix(tc.want, "]") || r.Full != nil {
				t.Errorf("%q, error %t\nwant %q", r.Text, r.IsError, tc.want)
			}
			tc.run.Command = tc.in["command"].(string)
			if tc.run.Dir == "" {
				tc.run.Dir = env.Workspace.Dir()
			}
			if note := r.Shell.Note; !strings.HasSuffix(r.Text, note) || (note == "") == r.IsError {
				t.Errorf("%q does not end with the note %q", r.Text, note)
			}
			tc.run.Note, tc.run.Shell, tc.run.NextDir = r.Shell.Note, shell.Path(), env.Workspace.Dir()
			if !reflect.DeepEqual(*r.Shell, tc.run) {
				t.Errorf("%+v\nwant %+v", *r.Shell, tc.run)
			}
		})
	}
}

// TestShellCleans: what is written for a terminal is shown as it would stay there, and bytes that are no text
// are described.
func TestShellCleans(t *testing.T) {
	env := shellEnv(t, nil)
	for _, test := range []struct {
		in      map[string]any
		want    string
		streams *event.ShellStreams
	}{
		{map[string]any{"command": `printf 'a 1\ra 2\n\033[31mred\033[0m\nlast'`}, "a 2\nred\nlast", nil},
		{map[string]any{"command": `printf 'a 1\ra 2'; exit 1`}, "a 2\n[exit code 1]", nil},
		{map[string]any{"command": `head -c 3000 /dev/zero | tr '\0' '\377'`}, "[binary output, 3000 bytes; to work with it, write it to a file]\n", nil},
		{
			map[string]any{"command": `head -c 3000 /dev/zero; echo e >&2`, "separate": true},
			"[binary output, 3000 bytes; to work with it, write it to a file]\ne\n",
			&event.ShellStreams{Stdout: 65, Stderr: 2},
		},
		{map[string]any{"command": `find . -print0; seq 20 | tr '\n' '\0'`}, ".\uFFFD" + strings.ReplaceAll("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ", " ", "\uFFFD"), nil},
	} {
		r := runIn(t, env, Shell(), test.in)
		if r.Text != test.want || fmt.Sprint(r.Shell.Streams) != fmt.Sprint(test.streams) || r.Full != nil {
			t.Errorf("%v: %q, %+v, want %q", test.in["command"], r.Text, r.Shell.Streams, test.want)
		}
	}
}

func TestShellRequest(t *testing.T) {
	outside := workspacetest.TempDir(t)
	env := shellEnv(t, map[string]string{"sub/": ""})
	env.Escalation = true
	for _, tc := range []struct {
		in   map[string]any
		want approval.Request
	}{
		{map[string]any{"command": "make\nmake test", "dir": "sub"}, approval.Request{Summary: "run make", Dir: filepath.Join(env.Workspace.Dir(), "sub")}},
		{map[string]any{"command": "make", "description": "Build all"}, approval.Request{Summary: "Build all", Dir: env.Workspace.Dir()}},
		{
			map[string]any{"command": "make", "escalate": true, "justification": "it installs"},
			approval.Request{Summary: "run make", Dir: env.Workspace.Dir(), Escalate: true, Justification: "it installs"},
		},
		{map[string]any{"command": "make", "justification": "it installs"}, approval.Request{Summary: "run make", Dir: env.Workspace.Dir()}},
		{map[string]any{"command": "make", "dir": outside}, approval.Request{Summary: "run make", Dir: outside, Paths: []approval.Path{{Path: outside, Shown: outside, Outside: true}}}},
	} {
		tc.want.Level, tc.want.Command = approval.Execute, tc.in["command"].(string)
		got := prepareShell(t, env, tc.in).Request()
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", tc.want) {
			t.Errorf("%+v\nwant %+v", got, tc.want)
		}
	}
}

func TestShellRefuses(t *testing.T) {
	env := shellEnv(t, map[string]string{"file.txt": "text"})
	for input, want := range map[string]string{
		`{"command":"true","dir":"nowhere"}`:  "nowhere",
		`{"command":"true","dir":"file.txt"}`: "file.txt",
		`{"command":"tr\u0000ue"}`:            "NUL",
		`{"command":"true","colour":"red"}`:   "colour",
		`{"command":"true","escalate":true}`:  "escalate",
	} {
		if _, err := Shell().Prepare(env, []byte(input)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", input, err)
		}
	}
}

func TestShellCannotStart(t *testing.T) {
	env := shellEnv(t, map[string]string{"sub/": ""})
	call := prepareShell(t, env, map[string]any{"command": "true", "dir": "sub"})
	if err := os.Remove(env.Workspace.Dir() + "/sub"); err != nil {
		t.Fatal(err)
	}
	var live liveText
	if r := call.Run(t.Context(), live.hooks()); !r.IsError || !strings.Contains(r.Text, "/sub: no such file or directory") {
		t.Errorf("%q", r.Text)
	}
}

func TestShellInterrupt(t *testing.T) {
	env := shellEnv(t, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	var live liveText
	hooks := live.hooks()
	done := make(chan Result)
	go func() {
		done <- prepareShell(t, env, map[string]any{"command": "trap '' TERM; echo begun; while :; do sleep 1000; done"}).Run(ctx, hooks)
	}()
	for live.String() != "begun\n" {
		<-live.news
	}
	cancel(errors.New("the user has pressed escape"))
	r := <-done
	if r.Text != "begun\n[interrupted]" || !r.IsError || r.Shell.TimedOut || r.Shell.Signal != "SIGKILL" {
		t.Errorf("%q, %+v", r.Text, r.Shell)
	}
	if r := prepareShell(t, env, map[string]any{"command": "true"}).Run(ctx, hooks); !r.IsError || r.Text != "[interrupted]" {
		t.Errorf("with an ended context: %q", r.Text)
	}
}

func TestShellLongOutput(t *testing.T) {
	env := shellEnv(t, nil)
	r := runShell(t, env, map[string]any{"command": "seq 100000; exit 2"})
	want := seq(100000)
	head, tail, ok := strings.Cut(r.Text, fmt.Sprintf("\n[… %d bytes omitted …]\n", r.Shell.Omitted))
	tail, failed := strings.CutSuffix(tail, "[exit code 2]")
	if !ok || !failed || len(r.Text) > 30<<10 || len(r.Text) < 30<<10-noteRoom-100 || !strings.HasPrefix(want, head) || !strings.HasSuffix(want, tail) ||
		int64(len(head)+len(tail))+r.Shell.Omitted != int64(len(want)) {
		t.Errorf("%d bytes, %d omitted: %.60q … %.60q", len(r.Text), r.Shell.Omitted, head, tail)
	}
	if string(r.Full) != want {
		t.Errorf("the whole is %d bytes, want %d", len(r.Full), len(want))
	}
}

func TestShellLongSeparateOutput(t *testing.T) {
	r := runShell(t, shellEnv(t, nil), map[string]any{"command": "seq 100000 >&2; seq 3", "separate": true})
	if !strings.HasPrefix(r.Text, "1\n2\n3\n1\n2\n") || !strings.HasSuffix(r.Text, "99999\n100000\n") || len(r.Text) > 30<<10 || len(r.Text) < 15<<10-noteRoom {
		t.Errorf("%d bytes: %.60q", len(r.Text), r.Text)
	}
	if string(r.Full) != "1\n2\n3\n"+seq(100000) {
		t.Errorf("the whole is %d bytes", len(r.Full))
	}
}

func seq(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

// TestShellFlood: a flood of output needs limited memory, and is shown up to a limit.
func TestShellFlood(t *testing.T) {
	size := int64(racetest.Size(256<<20, 32<<20))
	var before, after runtime.MemStats
	env := shellEnv(t, nil)
	var live liveText
	call := prepareShell(t, env, map[string]any{"command": fmt.Sprintf("yes | head -c %d", size)})
	runtime.ReadMemStats(&before)
	r := call.Run(t.Context(), live.hooks())
	runtime.ReadMemStats(&after)
	if kept := strings.Count(r.Text, "y"); r.IsError || r.Shell.Omitted < size-MaxText || kept < 15<<10-noteRoom {
		t.Errorf("%d lines, %d bytes omitted, error %t", kept, r.Shell.Omitted, r.IsError)
	}
	if len(r.Full) > MaxFull || len(r.Full) < MaxFull-100 {
		t.Errorf("%d bytes kept", len(r.Full))
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 200<<20 {
		t.Errorf("%d MiB were allocated", allocated>>20)
	}
	if shown := live.String(); len(shown) > 1<<20+100 || !strings.HasSuffix(shown, "the rest is not shown live …]\n") {
		t.Errorf("%d bytes were shown", len(shown))
	}
}

func TestShellKeepsSecretsFromChildren(t *testing.T) {
	env := shellEnv(t, nil)
	env.Environ = environ.ForChildren(append(os.Environ(), "MY_API_KEY=opensesame", "HINT=say opensesame", "FRUIT=fig"), "opensesame")
	r := runShell(t, env, map[string]any{"command": "env"})
	if strings.Contains(r.Text, "opensesame") || !strings.Contains(r.Text, "FRUIT=fig\n") || !strings.Contains(r.Text, "PARLEY=1\n") {
		t.Errorf("%s", r.Text)
	}
}

func BenchmarkShell(b *testing.B) {
	env := shellEnv(b, nil)
	hooks := Hooks{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}, Output: func(string) {}}
	for b.Loop() {
		if r := prepareShell(b, env, map[string]any{"command": "echo hello"}).Run(b.Context(), hooks); r.Text != "hello\n" {
			b.Fatal(r.Text)
		}
	}
}
