package scripted

import "testing"

func TestSuggestion(t *testing.T) {
	for _, test := range []struct{ text, missing, want string }{
		{"cannot read lib/colour.sh: it does not exist; the same folder has colours.sh", "lib/colour.sh", "lib/colours.sh"},
		{"cannot read utils.sh: it does not exist", "utils.sh", ""},
		{"lib/\nlib/util.sh (12 bytes)\nsrc/utils.sh (15 bytes)", "utils.sh", "src/utils.sh"},
		{"./src/utils.sh", "utils.sh", "src/utils.sh"},
		{"lib/shapes.sh", "lib/colour.sh", ""},
	} {
		if got := suggestion(test.text, test.missing); got != test.want {
			t.Errorf("suggestion(%q, %q) = %q, want %q", test.text, test.missing, got, test.want)
		}
	}
}

func TestHunk(t *testing.T) {
	if got, want := hunk("a\nb\nc", "a\nx\ny\nc"), " a\n-b\n+x\n+y\n c\n"; got != want {
		t.Errorf("hunk = %q, want %q", got, want)
	}
	if got, want := hunk("a", "a\nb"), " a\n+b\n"; got != want {
		t.Errorf("hunk = %q, want %q", got, want)
	}
}

func TestFailure(t *testing.T) {
	for text, want := range map[string]bool{
		"cannot edit a.txt: the text to replace was not found in the file": true,
		"bash: line 1: apply_patch: command not found":                     true,
		"FAIL\n[exit code 1]":                                true,
		"[timed out after 1 s]":                              true,
		"unknown tool: bash; the tools are: read, shell":     true,
		"the input does not fit the schema of read: \"x\" …": true,
		"edited a.txt (1 replacement)":                       false,
		"     1\tcannot be":                                  false,
		"Success. Updated the following files:\nM a.txt":     false,
	} {
		if got := failure.MatchString(text); got != want {
			t.Errorf("%q is taken for a failure: %v", text, got)
		}
	}
}
