package tool

import "testing"

// TestShellLeft: what still ran at the end of a command is named, and the command has not failed for it.
func TestShellLeft(t *testing.T) {
	env := shellEnv(t, nil)
	const note = "[these programs still ran at the end of the command, and were ended: sleep]"
	const sleeps = `until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done; `
	for command, want := range map[string]string{
		"sleep 1000 & " + sleeps + "echo started":                        "started\n" + note,
		"sleep 1000 >/dev/null 2>&1 & " + sleeps + "printf started":      "started\n" + note,
		"sleep 1000 >/dev/null 2>&1 & " + sleeps + "echo failed; exit 3": "failed\n[exit code 3]",
	} {
		r := runShell(t, env, map[string]any{"command": command})
		if failed := r.Shell.ExitCode != 0; r.Text != want || r.IsError != failed {
			t.Errorf("%s: %q, error %t, want %q", command, r.Text, r.IsError, want)
		}
	}
}
