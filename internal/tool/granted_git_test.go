//go:build unix

package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bareRepository is the files of a bare repository whose settings start a program, and which a model can write in a workspace.
var bareRepository = map[string]string{
	"sub/HEAD": "ref: refs/heads/main\n", "sub/objects/x": "", "sub/refs/x": "",
	"sub/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = \"touch \\\"$RAN\\\"; true\"\n",
}

// A command that a grant covers runs no program of a repository that the model has made of plain files. The settings for it
// are added to those of the user, and the next command does not have them.
func TestGrantedGit(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	for _, granted := range []bool{false, true} {
		env := stateEnv(t, bareRepository)
		env.Environ = append(env.Environ, "RAN="+ran, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=Ada")
		run := func(granted bool, dir, line string) string {
			var live liveText
			hooks := live.hooks()
			hooks.Granted = granted
			return prepareShell(t, env, map[string]any{"command": line, "dir": dir}).Run(t.Context(), hooks).Text
		}
		_ = os.Remove(ran)
		text := run(granted, "sub", "git status")
		if _, err := os.Stat(ran); (err == nil) == granted {
			t.Errorf("granted is %t: the program ran: %v, and git says %s", granted, err == nil, text)
		}
		want := "Ada 1"
		if granted {
			want = "Ada 3"
		}
		if text := run(granted, ".", `echo "$(git config user.name)" $GIT_CONFIG_COUNT`); strings.TrimSpace(text) != want {
			t.Errorf("granted is %t: the settings are %q, want %q", granted, text, want)
		}
		if text := run(false, ".", "echo $(env | grep -c ^GIT_CONFIG_) $GIT_CONFIG_COUNT"); strings.TrimSpace(text) != "3 1" {
			t.Errorf("the next command has the settings %q", text)
		}
	}
}
