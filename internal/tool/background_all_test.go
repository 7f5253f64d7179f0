//go:build unix

package tool

import (
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
)

// TestBackgroundAll: each action is the call of its tool, and members of other actions are ignored.
func TestBackgroundAll(t *testing.T) {
	env := backgroundEnv(t, map[string]string{"sub/": ""})
	expectIn(t, env, BackgroundAll(), in{"action": "list"}, "there are no background commands")
	expectIn(t, env, BackgroundAll(), in{"action": "start", "command": "read -r line; echo \"got $line\"; pwd; exit 3", "dir": "sub", "id": "x"}, "started b1: read -r line; echo \"got $line\"; pwd; exit 3")
	expectIn(t, env, BackgroundAll(), in{"action": "read", "id": "b1"}, "[no new output]\n[b1 running]")
	expectIn(t, env, BackgroundAll(), in{"action": "write", "id": "b1", "input": "x"}, "2 bytes typed into b1")
	awaitEnd(t, env, "b1")
	expectIn(t, env, BackgroundAll(), in{"action": "read", "id": "b1", "wait_ms": 1000}, "[stdout]\ngot x\n"+env.Workspace.Dir()+"/sub\n[b1 exit code 3]")
	expectIn(t, env, BackgroundAll(), in{"action": "start", "command": "sleep 1000"}, "started b2: sleep 1000")
	expectIn(t, env, BackgroundAll(), in{"action": "stop", "id": "b2"}, "[b2 stopped]")
	if got := runIn(t, env, BackgroundAll(), in{"action": "list"}).Text; !strings.Contains(got, "[exit code 3]") || !strings.Contains(got, "b2: sleep 1000 [stopped]") {
		t.Errorf("%q", got)
	}
	expectIn(t, env, BackgroundAll(), in{"action": "start", "command": "read -r -n 1 c; echo \"got $c\""}, "started b3: read -r -n 1 c; echo \"got $c\"")
	expectIn(t, env, BackgroundAll(), in{"action": "write", "id": "b3", "input": "y", "newline": false}, "1 byte typed into b3")
	expectIn(t, env, BackgroundAll(), in{"action": "start"}, `!start needs "command"`)
	expectIn(t, env, BackgroundAll(), in{"action": "read"}, `!read needs "id"`)
	expectIn(t, env, BackgroundAll(), in{"action": "stop", "id": "b9"}, `!there is no background command "b9"`)
}

// TestBackgroundAllRequests: a start is approved as the command, whatever else the input has.
func TestBackgroundAllRequests(t *testing.T) {
	env := backgroundEnv(t, nil)
	call, err := prepareIn(t, env, BackgroundAll(), in{"action": "start", "command": "rm -r x"})
	if err != nil {
		t.Fatal(err)
	}
	if r := call.Request(); r.Level != approval.Execute || r.Command != "rm -r x" {
		t.Errorf("%+v", r)
	}
}

// TestBackgroundEnded: the end of a command is reported once, by a result or by Ended.
func TestBackgroundEnded(t *testing.T) {
	env := backgroundEnv(t, nil)
	for _, command := range []string{"echo äö; exit 3", "true", "sleep 1000", "false"} {
		if r := runIn(t, env, BackgroundStart(), in{"command": command}); r.IsError {
			t.Fatal(r.Text)
		}
	}
	for _, id := range []string{"b1", "b2", "b4"} {
		awaitEnd(t, env, id)
	}
	runIn(t, env, BackgroundRead(), in{"id": "b2"})
	if got, want := env.Background.Ended(), []string{"b1: echo äö; exit 3: exit code 3, 3 characters of its output not read", "b4: false: exit code 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	runIn(t, env, BackgroundStop(), in{"id": "b3"})
	if got := env.Background.Ended(); len(got) != 0 {
		t.Errorf("again: %q", got)
	}
}
