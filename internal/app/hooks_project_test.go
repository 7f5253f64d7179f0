package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/config"
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
			a := &App{Store: store, Spawner: sandbox.NewSpawner(sandbox.Options{}), Log: slog.New(slog.DiscardHandler)}
			defer a.Spawner.Close()
			a.Models = provider.New(provider.Options{Getenv: func(string) string { return "" }})
			a.Settings.ProjectHooks = c.switched
			a.Settings.Hooks.TurnEnd = []config.HookSetting{{Command: "true"}}
			if c.trusted {
				a.Settings.TrustedFolders = []string{dir}
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
			denied := hooks.Has(event.BeforeTool, dir) && hooks.Run(t.Context(), report).Denied
			if denied != c.denied {
				t.Errorf("denied: %v", denied)
			}
			if protected := slices.Contains(a.private(dir), filepath.Join(dir, ".claude", "settings.json")); protected != (c.trusted && c.switched) {
				t.Errorf("protected from tools: %v", protected)
			}
		})
	}
}

func TestNoHooks(t *testing.T) {
	if hooks, err := (&App{}).hooks(); hooks != nil || err != nil {
		t.Errorf("without hooks the engine asks %v, %v", hooks, err)
	}
}
