package doctor

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
)

// TestExamineHooks: doctor lists the hooks in the order of their moments, and not their commands.
func TestExamineHooks(t *testing.T) {
	path := configtest.File(t, `{"hooks": {
	"turn_end": [{"command": "make test", "timeout_ms": 60000}],
	"before_tool": [{"command": "guard --key hunter2", "match": "shell"}, {"name": "second", "command": "x", "on_failure": "allow"}],
}}`)
	s, err := config.Load(configtest.Environment("PARLEY_CONFIG", path, "HOME", t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range examineHooks(&app.App{Settings: s}) {
		if !f.OK {
			t.Errorf("%+v", f)
		}
		lines = append(lines, f.Check+": "+f.Detail)
	}
	want := `hook: before_tool: guard, of shell, at most 10s, a failure denies
hook: before_tool: second, of all tools, at most 10s, a failure is ignored
hook: turn_end: make, at most 1m0s, a failure is ignored`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s", got)
	}
	rows := map[string]string{}
	for _, r := range s.Rows() {
		rows[r.Setting] = r.Value
	}
	if rows["hooks.before_tool"] != "2" || rows["hooks.turn_end"] != "1" || rows["hooks.after_tool"] != "" {
		t.Errorf("config show says %v", rows)
	}
	if f := examineHooks(&app.App{}); len(f) != 1 || !f[0].OK || f[0].Detail != "none are configured" {
		t.Errorf("without hooks: %+v", f)
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
	for _, f := range examineHooks(&app.App{Settings: s}) {
		lines = append(lines, f.Check+": "+f.Detail)
	}
	want := `hook: before_tool: own.sh, of all tools, at most 10s, a failure denies
hook: before_tool: guard.py, of Write|Edit, at most 30s, a failure denies
hook: permission: notify-send, of all tools, at most 1m0s, a failure is ignored`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s", got)
	}
}
