//go:build unix

package tool

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/background"
	"parley.dev/parley/internal/tool/workspacetest"
)

// backgroundEnv is shellEnv with background commands, which end with the test.
func backgroundEnv(t testing.TB, files map[string]string) *Env {
	t.Helper()
	env := shellEnv(t, files)
	env.Background = background.New()
	t.Cleanup(env.Background.Close)
	return env
}

// runIn prepares and runs a call, unconfined; a refused input is a failed result.
func runIn(t testing.TB, env *Env, tool Tool, in in) Result {
	t.Helper()
	return runUnder(t, env, tool, in, approval.Sandbox{Kind: approval.SandboxNone})
}

func runUnder(t testing.TB, env *Env, tool Tool, in in, s approval.Sandbox) Result {
	t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	call, err := tool.Prepare(env, input)
	if err != nil {
		return Failed(err.Error())
	}
	return call.Run(t.Context(), Hooks{Sandbox: s, Output: func(string) {}})
}

// expectIn runs a call whose text has to be want.
func expectIn(t testing.TB, env *Env, tool Tool, in in, want string) {
	t.Helper()
	want, wrong := strings.CutPrefix(want, "!")
	if got := runIn(t, env, tool, in); got.Text != want || got.IsError != wrong {
		t.Errorf("%s %v: %q (error %t), want %q", tool.Name(), in, got.Text, got.IsError, want)
	}
}

// readUntil reads a command until the text has want in it.
func readUntil(t testing.TB, env *Env, id, want string) string {
	t.Helper()
	var all strings.Builder
	for !strings.Contains(all.String(), want) {
		got := runIn(t, env, BackgroundRead(), in{"id": id, "wait_ms": 20_000})
		if got.IsError || strings.Contains(got.Text, "[no new output]") {
			t.Fatalf("%q does not come: %q %q", want, all.String(), got.Text)
		}
		all.WriteString(got.Text)
	}
	return all.String()
}

// awaitEnd waits until a command has ended.
func awaitEnd(t testing.TB, env *Env, id string) {
	t.Helper()
	c, err := env.Background.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	<-c.Ended
}

func TestBackground(t *testing.T) {
	env := backgroundEnv(t, map[string]string{"sub/": ""})
	expectIn(t, env, BackgroundList(), in{}, "there are no background commands")
	expectIn(t, env, BackgroundStart(), in{"command": "while read -r line; do echo \"got $line\"; echo oops >&2; done; pwd; exit 3", "dir": "sub", "name": "echoes"},
		"started b1 echoes: while read -r line; do echo \"got $line\"; echo oops >&2; done; pwd; exit 3")
	expectIn(t, env, BackgroundRead(), in{"id": "b1"}, "[no new output]\n[b1 running]")
	expectIn(t, env, BackgroundWrite(), in{"id": "b1", "input": "ä"}, "3 bytes typed into b1")
	text := readUntil(t, env, "b1", "got ä\n")
	if !strings.Contains(text, "oops") {
		readUntil(t, env, "echoes", "oops")
	}
	expectIn(t, env, BackgroundWrite(), in{"id": "echoes", "input": "x", "newline": false}, "1 byte typed into b1")
	expectIn(t, env, BackgroundWrite(), in{"id": "b1"}, "1 byte typed into b1")
	readUntil(t, env, "b1", "got x\n")
	expectIn(t, env, BackgroundWrite(), in{"id": "b1", "close": true}, "0 bytes typed into b1, its input is at its end")
	awaitEnd(t, env, "b1")
	expectIn(t, env, BackgroundRead(), in{"id": "b1", "stream": "stdout"}, "[stdout]\n"+env.Workspace.Dir()+"/sub\n[b1 exit code 3]")
	expectIn(t, env, BackgroundWrite(), in{"id": "b1", "input": "x"}, "!0 bytes of 2 typed into b1: the command has ended: exit code 3")
	expectIn(t, env, BackgroundList(), in{}, "there are no background commands")
	if got := runIn(t, env, BackgroundList(), in{"ended": true}).Text; !strings.HasPrefix(got, "b1 echoes: while read") || !strings.Contains(got, "[exit code 3]") {
		t.Errorf("%q", got)
	}
	expectIn(t, env, BackgroundStop(), in{"id": "b2"}, `!there is no background command "b2"`)
	expectIn(t, env, BackgroundWrite(), in{"id": "b1", "newline": false}, "!there is nothing to type: give an input, newline or close")
}

// TestBackgroundCleans: a line that is not whole is read as it is, and one that was written anew once.
func TestBackgroundCleans(t *testing.T) {
	env := backgroundEnv(t, nil)
	expectIn(t, env, BackgroundStart(), in{"command": `printf '\033[1m1%%\r2%%\r3%%\033[m'; read -r line; printf '4%%\r5%%\ndone\r\n'`}, `started b1: printf '\033[1m1%%\r2%%\r3%%\033[m'; read -r line; printf '4%%\r5%%\ndone\r\n'`)
	if got := readUntil(t, env, "b1", "3%"); !strings.HasPrefix(got, "[stdout]\n3%\n") {
		t.Errorf("%q", got)
	}
	runIn(t, env, BackgroundWrite(), in{"id": "b1", "input": ""})
	awaitEnd(t, env, "b1")
	expectIn(t, env, BackgroundRead(), in{"id": "b1"}, "[stdout]\n5%\ndone\n[b1 exit code 0]")
}

// What a command has started ends with it, and with the session.
func TestBackgroundEnds(t *testing.T) {
	env := backgroundEnv(t, nil)
	for _, command := range []string{
		"sleep 1000 & echo begun; wait",
		"trap '' TERM; echo begun; while :; do sleep 1000; done",
		"trap 'echo bye; exit 0' TERM; echo begun; sleep 1000 & wait",
	} {
		if got := runIn(t, env, BackgroundStart(), in{"command": command}); got.IsError {
			t.Fatal(got.Text)
		}
	}
	for _, id := range []string{"b1", "b2", "b3"} {
		readUntil(t, env, id, "begun\n")
	}
	expectIn(t, env, BackgroundStop(), in{"id": "b3"}, "[4 characters not read]\n[b3 stopped]")
	expectIn(t, env, BackgroundRead(), in{"id": "b3"}, "[stdout]\nbye\n[b3 stopped]")
	expectIn(t, env, BackgroundStop(), in{"id": "b1"}, "[b1 stopped]")
	expectIn(t, env, BackgroundStop(), in{"id": "b1"}, "[b1 stopped]")
	env.Background.Close()
	expectIn(t, env, BackgroundList(), in{"ended": true}, "b1: sleep 1000 & echo begun; wait [stopped]\n"+
		"b2: trap '' TERM; echo begun; while :; do sleep 1000; done [ended with the session]\n"+
		"b3: trap 'echo bye; exit 0' TERM; echo begun; sleep 1000 & wait [stopped]\n")
	expectIn(t, env, BackgroundStart(), in{"command": "true"}, "!the command could not be started: the session is over")
}

// The end of the call that started a command, or of one that reads it, is not the command's.
func TestBackgroundOutlivesCalls(t *testing.T) {
	env := backgroundEnv(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	call, err := BackgroundStart().Prepare(env, []byte(`{"command":"read -r x; echo $x"}`))
	if err != nil {
		t.Fatal(err)
	}
	hooks := Hooks{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}}
	if got := call.Run(ctx, hooks); got.IsError {
		t.Fatal(got.Text)
	}
	cancel()
	if call, err = BackgroundRead().Prepare(env, []byte(`{"id":"b1","wait_ms":600000}`)); err != nil {
		t.Fatal(err)
	}
	if got := call.Run(ctx, hooks); got.Text != "[no new output]\n[b1 running]" {
		t.Errorf("%q", got.Text)
	}
	expectIn(t, env, BackgroundWrite(), in{"id": "b1", "input": "still here"}, "11 bytes typed into b1")
	readUntil(t, env, "b1", "still here\n")

	if call, err = BackgroundStart().Prepare(env, []byte(`{"command":"true"}`)); err != nil {
		t.Fatal(err)
	}
	if got := call.Run(ctx, hooks); got.Text != "[interrupted]" || !got.IsError {
		t.Errorf("started by a call that was interrupted: %+v", got)
	}
}

// A command that does not read takes what fits its pipe; an interrupt ends the typing.
func TestBackgroundDoesNotRead(t *testing.T) {
	env := backgroundEnv(t, nil)
	runIn(t, env, BackgroundStart(), in{"command": "sleep 1000"})
	input, err := json.Marshal(in{"id": "b1", "input": strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	call, err := BackgroundWrite().Prepare(env, input)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Result)
	go func() { done <- call.Run(ctx, Hooks{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}}) }()
	cancel()
	got := <-done
	if !got.IsError || !strings.HasSuffix(got.Text, "of 1048577 typed into b1: interrupted") {
		t.Errorf("%q", got.Text)
	}
	go func() { done <- call.Run(t.Context(), Hooks{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}}) }()
	expectIn(t, env, BackgroundStop(), in{"id": "b1"}, "[b1 stopped]")
	if got := <-done; !got.IsError {
		t.Errorf("typed into a command that was stopped: %+v", got)
	}
}

func TestBackgroundCaps(t *testing.T) {
	env := backgroundEnv(t, nil)
	for i := range background.MaxRunning {
		if got := runIn(t, env, BackgroundStart(), in{"command": "read -r x", "name": fmt.Sprintf("n%d", i)}); got.IsError {
			t.Fatal(got.Text)
		}
	}
	expectIn(t, env, BackgroundStart(), in{"command": "true"}, "!the command could not be started: 16 background commands run already: stop one first")
	expectIn(t, env, BackgroundStart(), in{"command": "true", "name": "n3"}, `!the command could not be started: b4 runs under the name "n3": stop it first, or choose another name`)
	for i := range background.MaxRunning {
		expectIn(t, env, BackgroundStop(), in{"id": fmt.Sprintf("n%d", i)}, fmt.Sprintf("[b%d stopped]", i+1))
	}
	for range 3 {
		runIn(t, env, BackgroundStart(), in{"command": "true"})
	}
	for _, id := range []string{"b17", "b18", "b19"} {
		awaitEnd(t, env, id)
	}
	env.Background.Close() // the list is shortened after the end
	if all := env.Background.List(); len(all) != background.MaxEnded || all[len(all)-1].ID != "b19" {
		t.Errorf("%d commands are kept", len(all))
	}
	for _, tool := range []Tool{BackgroundStart(), BackgroundRead(), BackgroundWrite(), BackgroundStop(), BackgroundList()} {
		if optional := tool.(Optional); optional.Available(&Env{}) || !optional.Available(env) {
			t.Errorf("%s is offered where it cannot work, or not where it can", tool.Name())
		}
	}
	if got := runIn(t, &Env{Workspace: env.Workspace}, BackgroundStart(), in{"command": "true"}); got.Text != errNoBackground.Error() {
		t.Errorf("%+v", got)
	}
}

func TestBackgroundRequests(t *testing.T) {
	env := backgroundEnv(t, nil)
	outside := workspacetest.TempDir(t)
	requestOf := func(tool Tool, in in) approval.Request {
		input, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		call, err := tool.Prepare(env, input)
		if err != nil {
			t.Fatal(err)
		}
		return call.Request()
	}
	start := requestOf(BackgroundStart(), in{"command": "bash", "dir": outside})
	if start.Level != approval.Execute || start.Command != "bash" || start.Dir != outside || len(start.Paths) != 1 || !start.Paths[0].Outside {
		t.Errorf("start: %+v", start)
	}
	runIn(t, env, BackgroundStart(), in{"command": "cat", "dir": outside})
	write := requestOf(BackgroundWrite(), in{"id": "b1", "input": "rm -r /"})
	if write.Level != approval.Execute || write.Command != "cat\nrm -r /\n" || write.Dir != outside || len(write.Paths) != 1 {
		t.Errorf("write: %+v", write)
	}
	deny, err := approval.ParseRule(approval.Deny, "x:rm *")
	if err != nil {
		t.Fatal(err)
	}
	write.Tool = "x"
	if !deny.Matches(write) || approval.Trusted(write.Command) {
		t.Error("what is typed gets past the rules for commands")
	}
	for tool, level := range map[Tool]approval.Level{BackgroundRead(): approval.Read, BackgroundStop(): approval.Write} {
		if r := requestOf(tool, in{"id": "b1"}); r.Level != level || r.Command != "" || r.Paths != nil {
			t.Errorf("%s: %+v", tool.Name(), r)
		}
	}
	if r := requestOf(BackgroundWrite(), in{"id": "b1", "close": true}); r.Level != approval.Write || r.Command != "" {
		t.Errorf("close: %+v", r)
	}
}

// Nothing can be typed into a command that may do more than the call that types.
func TestBackgroundKeepsItsLimits(t *testing.T) {
	env := backgroundEnv(t, nil)
	none, work, look := approval.Sandbox{Kind: approval.SandboxNone}, approval.Sandbox{Kind: approval.SandboxWorkspace}, approval.Sandbox{Kind: approval.SandboxReadOnly}
	typed := func(under approval.Sandbox) bool {
		t.Helper()
		return !runUnder(t, env, BackgroundWrite(), in{"id": "b1", "input": "x"}, under).IsError
	}
	runUnder(t, env, BackgroundStart(), in{"command": "cat"}, none)
	if got := []bool{typed(none), typed(work), typed(look), typed(approval.Sandbox{})}; !slices.Equal(got, []bool{true, false, false, false}) {
		t.Errorf("unconfined: %v", got)
	}
	readUntil(t, env, "b1", "x\n")
	expectIn(t, env, BackgroundStop(), in{"id": "b1"}, "[b1 stopped]")
	if got := runUnder(t, env, BackgroundStart(), in{"command": "cat"}, approval.Sandbox{}); !got.IsError {
		t.Errorf("started without limits that are known: %+v", got)
	}
	if !env.Confines() {
		t.Skip("this machine cannot confine commands")
	}
	env.Background.Close()
	env.Background = background.New()
	t.Cleanup(env.Background.Close)
	outside := workspacetest.TempDir(t)
	got := runUnder(t, env, BackgroundStart(), in{"command": "read -r name; echo x >\"$name\"; echo $?"}, look)
	if got.IsError {
		t.Fatal(got.Text)
	}
	if typed(work) {
		t.Error("typed under other limits")
	}
	if got := runUnder(t, env, BackgroundWrite(), in{"id": "b1", "input": outside + "/f"}, look); got.IsError {
		t.Error(got.Text)
	}
	if text := readUntil(t, env, "b1", "[stdout]\n"); strings.Contains(text, "\n0\n") {
		t.Errorf("%q", text)
	}
	if _, err := os.Stat(outside + "/f"); err == nil {
		t.Error("a background command is not confined")
	}
}

func TestBackgroundFlood(t *testing.T) {
	env := backgroundEnv(t, nil)
	runIn(t, env, BackgroundStart(), in{"command": "seq 1000000; printf é >&2"})
	awaitEnd(t, env, "b1")
	got := runIn(t, env, BackgroundRead(), in{"id": "b1", "stream": "stdout", "max_chars": 10, "newest": true, "peek": true}).Text
	if got != "[stdout]\n[6888886 characters before this left out]\n9\n1000000\n[b1 exit code 0]" {
		t.Errorf("%q", got)
	}
	got = runIn(t, env, BackgroundRead(), in{"id": "b1", "max_chars": 7}).Text
	if got != "[stdout]\n[6768896 characters before this left out]\n2858\n98\n[119993 characters more: read again]\n[stderr]\né\n[b1 exit code 0]" {
		t.Errorf("%q", got)
	}
	got = runIn(t, env, BackgroundRead(), in{"id": "b1", "max_chars": 120000}).Text
	if len(got) > MaxText || !strings.HasPrefix(got, "[stdout]\n2859\n") || !strings.Contains(got, "characters more: read again]") {
		t.Errorf("%d bytes: %.40q", len(got), got)
	}
}
