package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/sandbox"
)

// TestProjectHooks: the hooks that a project has for Claude Code run if it is trusted and a setting
// says so; one that cannot be used denies.
func TestProjectHooks(t *testing.T) {
	const guard = `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}`
	for name, c := range map[string]struct {
		settings          string
		trusted, switched bool
		denied            bool
	}{
		"trusted, on":    {guard, true, true, true},
		"trusted, off":   {guard, true, false, false},
		"not trusted":    {guard, false, true, false},
		"broken":         {`{"hooks": {"PreToolUse": [{"hooks": [{"type": "http"}]}]}}`, true, true, true},
		"not JSON":       {`{`, true, true, true},
		"without guards": {`{"permissions": {}}`, true, true, false},
		"no file":        {"", true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if c.settings != "" {
				if err := os.Mkdir(filepath.Join(dir, ".claude"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, ".claude", "settings.json"), []byte(c.settings), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			store, err := file.Open(t.TempDir(), file.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			a := &app{store: store, spawner: sandbox.NewSpawner(sandbox.Options{}), log: slog.New(slog.DiscardHandler)}
			defer a.spawner.Close()
			a.models = provider.New(provider.Options{Getenv: func(string) string { return "" }})
			a.settings.ProjectHooks = c.switched
			a.settings.Hooks.TurnEnd = []config.HookSetting{{Command: "true"}}
			if c.trusted {
				a.settings.TrustedFolders = []string{dir}
			}
			hooks, err := a.hooks()
			if err != nil {
				t.Fatal(err)
			}
			input := jsontext.Value(`{"command":"ls"}`)
			report := hook.Report{
				Moment: event.BeforeTool, Session: "s", Dir: dir,
				Call: &hook.Call{ID: "c", Tool: "shell", Shown: "bash", Input: input, OwnInput: input},
			}
			denied := hooks.Has(event.BeforeTool, dir) && hooks.Ask(t.Context(), report).Denied
			if denied != c.denied {
				t.Errorf("denied: %v", denied)
			}
			if protected := slices.Contains(a.private(dir), filepath.Join(dir, ".claude", "settings.json")); protected != (c.trusted && c.switched) {
				t.Errorf("protected from tools: %v", protected)
			}
		})
	}
}

// TestClaudeHooks: what stands under "hooks" in settings of Claude Code can be pasted.
func TestClaudeHooks(t *testing.T) {
	path := configtest.File(t, `{"hooks": {
		"PreToolUse": [{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "guard.py", "timeout": 30}]}],
		"before_tool": [{"command": "own.sh"}],
		"Notification": [{"hooks": [{"type": "command", "command": "notify-send Parley"}]}]}}`)
	s, err := config.Load(configtest.Environment("PARLEY_CONFIG", path, "HOME", t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range (&app{settings: s}).examineHooks() {
		lines = append(lines, f.Check+": "+f.Detail)
	}
	want := `hook: before_tool: own.sh, of all tools, at most 10s, a failure denies
hook: before_tool: guard.py, of Write|Edit, at most 30s, a failure denies
hook: permission: notify-send, of all tools, at most 1m0s, a failure is ignored`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s", got)
	}
}
