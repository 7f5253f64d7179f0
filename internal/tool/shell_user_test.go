//go:build unix

package tool

import (
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/shell"
)

func TestRunCommand(t *testing.T) {
	env := shellEnv(t, map[string]string{"sub/file": ""})
	env.Shell = shell.NewState("a-secret").Another()
	dir := env.Workspace.Dir()
	for _, c := range []struct {
		name, line   string
		limit        time.Duration
		output, full string
		lines, code  int
		bytes        int64
	}{
		{name: "nothing", line: "true"},
		{name: "no line feed", line: "printf x", output: "x", lines: 1, bytes: 1},
		{name: "both streams", line: "echo a; echo b >&2; echo c", output: "a\nb\nc\n", lines: 4, bytes: 6},
		{name: "exactly as much", line: "printf 0123456789", output: "0123456789", lines: 1, bytes: 10},
		{name: "more", line: "printf '0\\n123456789'", output: "\n123456789", full: "0\n123456789", lines: 2, bytes: 11},
		{name: "a rune that is cut", line: "printf 'aééééé'", output: "ééééé", full: "aééééé", lines: 1, bytes: 11},
		{name: "no UTF-8", line: `printf '\377\000x'`, output: "\uFFFDx", lines: 1, bytes: 4},
		{name: "exit code", line: "exit 7", code: 7},
		{name: "folder", line: "cd sub", output: ""},
		{name: "the same folder", line: "ls", output: "file\n", lines: 2, bytes: 5},
		{name: "secrets do not stay", line: "export X=a-secret", output: ""},
		{name: "they did not", line: "echo ${X-none}", output: "none\n", lines: 2, bytes: 5},
		{name: "too long", line: "sleep 600", limit: 50 * time.Millisecond, code: -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var live liveText
			r, err := RunCommand(t.Context(), env, UserCommand{
				Line: c.line, Limit: c.limit, MaxBytes: 10, Output: live.hooks().Output, Sandbox: approval.Sandbox{Kind: approval.SandboxNone},
			})
			if err != nil {
				t.Fatal(err)
			}
			ran := r.Ran
			if ran.Output != c.output || ran.Lines != c.lines || ran.Bytes != c.bytes || ran.Shell.ExitCode != c.code {
				t.Errorf("%q, %d lines, %d bytes, exit code %d", ran.Output, ran.Lines, ran.Bytes, ran.Shell.ExitCode)
			}
			if string(r.Full) != c.full || ran.Cut != (c.full != "") || ran.Shell.Omitted != ran.Bytes-int64(len(ran.Output)) {
				t.Errorf("whole: %q, cut %t, omitted %d", r.Full, ran.Cut, ran.Shell.Omitted)
			}
			if ran.Shell.TimedOut != (c.limit > 0) || ran.Cancelled || ran.Shell.Command != c.line || !strings.HasPrefix(ran.Shell.Dir, dir) || ran.Ran <= 0 {
				t.Errorf("%+v", ran)
			}
			if !strings.HasSuffix(live.String(), c.output) {
				t.Errorf("shown live: %q", live.String())
			}
		})
	}
}

// TestRunCommandRefused: a command without a sandbox kind, or with a NUL, does not run.
func TestRunCommandRefused(t *testing.T) {
	env := shellEnv(t, nil)
	for name, c := range map[string]UserCommand{
		"no sandbox named": {Line: "true"},
		"a NUL":            {Line: "true\x00", Sandbox: approval.Sandbox{Kind: approval.SandboxNone}},
	} {
		if r, err := RunCommand(t.Context(), env, c); err == nil {
			t.Errorf("%s: %+v", name, r.Ran)
		}
	}
}
