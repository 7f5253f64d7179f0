package pisces

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTaskSettings: profiles are read whole, the project's in place of the agent's.
func TestTaskSettings(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config.yml":    "task:\n  isolation:\n    mode: worktree\n    merge: branch\n  maxConcurrency: 3\n  verification:\n    profiles:\n      ci:\n        mode: none\n        maxRetries: 2\n      v1.2:\n        commands:\n          - {name: a, command: b}\n",
		"settings.json": `{"task.verification.defaultProfile": "ci", "task": {"verification": {"enabled": true, "profiles": {"ci": {"mode": "command"}}}}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := ReadSettings(SettingsFiles{Agent: dir, Project: dir}, slog.New(slog.DiscardHandler)).tasks()
	if !s.Isolation || !s.Branches || s.Concurrency != 3 || s.Depth != 2 || !s.Verify.Enabled || s.Verify.DefaultProfile != "ci" || s.Verify.Retries != 1 {
		t.Errorf("the settings are %+v", s)
	}
	got := map[string]string{}
	for name, profile := range s.Verify.Profiles {
		got[name] = string(profile)
	}
	want := map[string]string{"ci": `{"mode":"command"}`, "v1.2": `{"commands":[{"command":"b","name":"a"}]}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	none := ReadSettings(SettingsFiles{}, slog.New(slog.DiscardHandler)).tasks()
	if none.Isolation || none.Branches || none.Concurrency != 32 {
		t.Errorf("without files they are %+v", none)
	}
}
