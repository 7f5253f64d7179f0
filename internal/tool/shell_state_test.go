//go:build unix

package tool

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/background"
	"parley.dev/parley/internal/tool/environ"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspacetest"
)

func stateEnv(t testing.TB, files map[string]string) *Env {
	t.Helper()
	env := shellEnv(t, files)
	env.Environ = environ.ForChildren([]string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere", "SHLVL=3", "PARLEY_OWN=base", "GOES=x"})
	env.Shell = shell.NewState("opensesame")
	return env
}

func TestShellState(t *testing.T) {
	env := stateEnv(t, map[string]string{"sub/deep/": "", "a b\n/": ""})
	dir := env.Workspace.Dir()
	steps := []struct {
		in   in
		want string // text
	}{
		{in{"command": "pwd; cd sub; export A=1 B='x y\nz'; C=3"}, dir + "\n"},
		{in{"command": `pwd; printf '%s|' "$A" "$B" "${C-none}"`}, dir + "/sub\n1|x y\nz|none|"},
		{in{"command": "pwd", "dir": "sub/deep"}, dir + "/sub/deep\n"},
		{in{"command": "pwd; cd ..; unset A GOES; exit 3"}, dir + "/sub/deep\n[exit code 3]"},
		{in{"command": `pwd; echo "${A-none} ${GOES-none} $B"`}, dir + "/sub\nnone none x y\nz\n"},
		{in{"command": "cd ../'a b\n'; false"}, "[exit code 1]"},
		{in{"command": "pwd"}, dir + "/a b\n\n"},
		{in{"command": "set -e; cd ../sub; false; cd /"}, "[exit code 1]"},
		{in{"command": "set -u; pwd; cd deep; echo $nothing", "separate": true}, dir + "/sub\n*"},
		{in{"command": "pwd; (cd /; exit 1); cd .. | cat; cd . && f() { return 4; }; f"}, dir + "/sub/deep\n[exit code 4]"},
		{in{"command": "trap 'echo bye' EXIT; pwd; cd .."}, dir + "/sub/deep\nbye\n"},
		{in{"command": "pwd; trap - EXIT; cd .."}, dir + "/sub\n"},
		{in{"command": "trap 'true' EXIT; cd sub; exit 2"}, "[exit code 2]"}, // leaves nothing
		{in{"command": "cd sub; exec true"}, ""},                             // leaves nothing
		{in{"command": "cd sub; kill -9 $$"}, "[killed by signal SIGKILL]"},  // leaves nothing
		{in{"command": "pwd; cd sub; if; then"}, "*"},                        // leaves what it had
		{in{"command": "echo 'abc"}, "bash: eval: line 1: unexpected EOF while looking for matching `''\n[exit code 2]"},
		{in{"command": "pwd; exec 3>&1 1>&2 9>/dev/null; cd sub/deep"}, dir + "\n"},
		{in{"command": "pwd; read -r x || echo nothing to read"}, dir + "/sub/deep\nnothing to read\n"},
		{in{"command": "set -x; true"}, "++ true\n"},
		{in{"command": "PATH=/nowhere; export PATH"}, ""},
		{in{"command": "/bin/sleep 0; echo $PATH $#"}, "/nowhere 0\n"},
		{in{"command": "pwd; echo ${B-none} $GOES", "reset": true}, dir + "\nnone x\n"},
		{in{"command": "echo ${B-none} $GOES; printf '%s' $PARLEY_OWN $SHLVL"}, "none x\nbase4"},
		{in{"command": "export PARLEY_OWN=mine PARLEY_MORE=1; f() { echo f; }; export -f f"}, ""},
		{in{"command": "echo $PARLEY_OWN ${PARLEY_MORE-none} $SHLVL; f"}, "base none 4\nf\n"},
		{in{"command": "export MY_API_KEY=1 HINT='say opensesame' FRUIT=fig"}, ""},
		{in{"command": "echo ${MY_API_KEY-none} ${HINT-none} $FRUIT"}, "none none fig\n"},
		{in{"command": "true"}, ""}, // leaves what there was
		{in{"command": "echo $FRUIT; export FRUIT=apple"}, "fig\n"},
		{in{"command": "echo $FRUIT"}, "apple\n"},
		{in{"command": "echo ${FRUIT-none}", "reset": true}, "none\n"},
		{in{"command": "echo ${FRUIT-none}; export FRUIT=apple"}, "none\n"},
		{in{"command": "echo $FRUIT"}, "apple\n"},
		{in{"command": "mkdir gone; cd gone; rmdir ../gone"}, "*"},
		{in{"command": "cd / && cd - >/dev/null; pwd"}, dir + "\n"},
	}
	for _, step := range steps {
		got := runIn(t, env, Shell(), step.in)
		want, any := strings.CutSuffix(step.want, "*")
		if any && !strings.HasPrefix(got.Text, want) || !any && got.Text != want {
			t.Fatalf("%v: %q, want %q", step.in, got.Text, step.want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// Two commands have one mark of their Spawner each, or its search for strays would be wrong.
func TestShellStateKeepsNoMark(t *testing.T) {
	env := stateEnv(t, nil)
	one := runIn(t, env, Shell(), in{"command": "env | grep ^PARLEY_SPAWN="}).Text
	two := runIn(t, env, Shell(), in{"command": "env | grep ^PARLEY_SPAWN="}).Text
	if one == two || strings.Count(one, ";") != 1 || strings.Count(two, ";") != 1 {
		t.Errorf("%q, %q", one, two)
	}
}

// What was interrupted leaves nothing, and what is too much, or no whole record, neither.
func TestShellStateLeavesNothing(t *testing.T) {
	env := stateEnv(t, map[string]string{"sub/": ""})
	dir := env.Workspace.Dir()
	expectIn(t, env, Shell(), in{"command": "cd sub; export A=1"}, "")
	ctx, cancel := context.WithCancelCause(t.Context())
	var live liveText
	hooks := live.hooks()
	done := make(chan Result)
	go func() {
		done <- prepareShell(t, env, in{"command": "cd /; echo begun; sleep 1000"}).Run(ctx, hooks)
	}()
	for live.String() != "begun\n" {
		<-live.news
	}
	cancel(errors.New("stop"))
	<-done
	expectIn(t, env, Shell(), in{"command": "pwd"}, dir+"/sub\n")
	expectIn(t, env, Shell(), in{"command": "cd /; printf garbage >&147; head -c 2000000 /dev/zero >&147"}, "")
	expectIn(t, env, Shell(), in{"command": "pwd; echo $A"}, dir+"/sub\n1\n")

	input := []byte(`{"command":"true","reset":true}`)
	if call, err := Shell().Prepare(env, input); err != nil || call.Request().Dir != dir {
		t.Errorf("%v %v", call, err)
	}
	expectIn(t, env, Shell(), in{"command": "pwd"}, dir+"/sub\n") // it was only prepared
}

// The folder that a command has left is shown and approved like any other.
func TestShellStateRequest(t *testing.T) {
	env := stateEnv(t, nil)
	outside := workspacetest.TempDir(t)
	runIn(t, env, Shell(), in{"command": "cd " + outside})
	for _, tool := range []Tool{Shell(), BackgroundStart()} {
		env.Background = background.New()
		defer env.Background.Close()
		call, err := tool.Prepare(env, []byte(`{"command":"ls"}`))
		if err != nil {
			t.Fatal(err)
		}
		if r := call.Request(); r.Command != "ls" || r.Dir != outside || len(r.Paths) != 1 || !r.Paths[0].Outside {
			t.Errorf("%s: %+v", tool.Name(), r)
		}
	}
}

// Variables that a confined command has left reach no command with fewer limits.
func TestShellStateKeepsLimits(t *testing.T) {
	env := stateEnv(t, nil)
	if !env.Confines() {
		t.Skip("this machine cannot confine commands")
	}
	look, work, none := approval.Sandbox{Kind: approval.SandboxReadOnly}, approval.Sandbox{Kind: approval.SandboxWorkspace}, approval.Sandbox{Kind: approval.SandboxNone}
	value := func(s approval.Sandbox) string {
		t.Helper()
		return runUnder(t, env, Shell(), in{"command": "echo ${A-none}"}, s).Text
	}
	for _, under := range []approval.Sandbox{look, work, none} {
		if got := runUnder(t, env, Shell(), in{"command": "cd /; export A=1", "reset": true}, under); got.IsError {
			t.Fatal(got.Text)
		}
		if got := value(under); got != "1\n" {
			t.Errorf("under %s it is %q", under.Kind, got)
		}
		if env.Shell.Dir() != "/" {
			t.Errorf("under %s the folder is %q", under.Kind, env.Shell.Dir())
		}
		for _, other := range []approval.Sandbox{none, look, work} {
			want := "none\n"
			if under.Kind == none.Kind || other.Kind == under.Kind {
				want = "1\n"
			}
			runUnder(t, env, Shell(), in{"command": "export A=1", "reset": true}, under)
			if got := value(other); got != want {
				t.Errorf("from %s to %s: %q", under.Kind, other.Kind, got)
			}
		}
	}
}

// TestShellCaptured checks what the record of a command says of the state that it left.
func TestShellCaptured(t *testing.T) {
	env := stateEnv(t, map[string]string{"sub/": ""})
	dir := env.Workspace.Dir()
	for _, step := range []struct {
		in       in
		next     string // folder
		captured bool
	}{
		{in{"command": "true"}, dir, true},
		{in{"command": "cd sub; exit 3"}, dir + "/sub", true},
		{in{"command": "cd ..; exec true"}, dir + "/sub", false},
		{in{"command": "cd ..; kill -9 $$"}, dir + "/sub", false},
		{in{"command": "kill -9 $$", "reset": true}, dir, false},
		{in{"command": "pwd", "dir": "sub"}, dir + "/sub", true},
	} {
		run := runIn(t, env, Shell(), step.in).Shell
		if run.Dir == "" || run.Shell != shell.Path() || run.NextDir != step.next || run.Captured != step.captured {
			t.Errorf("%v: %+v, want captured %v, then the folder %s", step.in, *run, step.captured, step.next)
		}
	}
}
