package codex

import "testing"

func TestShownLine(t *testing.T) {
	for _, test := range [][2]string{
		{"", ""},
		{"go test ./...", "go test ./..."},
		{"a  b", "/bin/bash -lc 'a  b'"},
		{"a; b", "/bin/bash -lc 'a; b'"},
		{"echo it's", `/bin/bash -lc 'echo it'\''s'`},
		{"a\nb", "/bin/bash -lc 'a\nb'"},
	} {
		if got := shownLine(test[0]); got != test[1] {
			t.Errorf("%q is shown as %q", test[0], got)
		}
	}
}
