package sandbox

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRefusal(t *testing.T) {
	work := Policy{Level: WorkspaceWrite}
	online := Policy{Level: WorkspaceWrite, Network: true}
	failed := Exit{Code: 1}
	for _, row := range []struct {
		name   string
		policy Policy
		exit   Exit
		output string
		want   string
	}{
		{"read-only", work, failed, "touch: cannot touch '/x': Read-only file system\n", "touch: cannot touch '/x': Read-only file system"},
		{"the line among others", work, failed, "one\n  mkdir /x: permission denied  \ntwo\n", "mkdir /x: permission denied"},
		{"an exit code of the shell", work, Exit{Code: 126}, "sh: ./x: Permission denied", "sh: ./x: Permission denied"},
		{"no network", work, failed, "curl: (6) Could not resolve host: a.test\n", "curl: (6) Could not resolve host: a.test"},
		{"a network that is there", online, failed, "curl: (6) Could not resolve host: a.test\n", ""},
		{"read-only with a network", online, failed, "EROFS: read-only file system", "EROFS: read-only file system"},
		{"a system call", work, Exit{Code: -1, Signal: "SIGSYS"}, "", "a system call that the sandbox forbids"},
		{"another failure", work, failed, "--- FAIL: TestX\n", ""},
		{"success", work, Exit{}, "Permission denied\n", ""},
		{"interrupted", work, Exit{Code: -1, Signal: "SIGTERM", Interrupted: true}, "Permission denied\n", ""},
		{"no sandbox", Policy{Level: Full}, failed, "Permission denied\n", ""},
	} {
		if got := Refusal(row.policy, row.exit, row.output); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
	long := Refusal(work, failed, "Permission denied "+strings.Repeat("é", maxRefusal))
	if !utf8.ValidString(long) || len(long) > maxRefusal+len("…") {
		t.Errorf("%d bytes: %q", len(long), long)
	}
}
