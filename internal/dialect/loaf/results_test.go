package loaf

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestAdaptResult has results of each tool, word for word.
func TestAdaptResult(t *testing.T) {
	none, one := &event.FileMatches{}, &event.FileMatches{Files: []event.MatchedFile{{Path: "a"}}}
	for _, test := range []struct {
		name, input string
		r           engine.CallResult
		want        string
		fails       bool
	}{
		{"read_file", `{"file_path":"/a"}`, engine.CallResult{Text: "     1\tone\n     2\t\ttwo\n"}, "L1: one\nL2: \ttwo\n", false},
		{"read_file", `{"file_path":"/a"}`, engine.CallResult{Text: "100000\tx\r\n100001\tno end"}, "L100000: x\r\nL100001: no end", false},
		{"read_file", `{"file_path":"/a"}`, engine.CallResult{Text: "     1\tx\n[line 1 of 2; go on with offset 2]\n"}, "L1: x\n[line 1 of 2; go on with offset 2]\n", false},
		{"read_file", `{"file_path":"/a"}`, engine.CallResult{Text: "     1\t" + strings.Repeat("é", 500)}, "L1: " + strings.Repeat("é", 500), false},
		{"read_file", `{"file_path":"/a"}`, engine.CallResult{Text: "     1\t" + strings.Repeat("é", 501) + "\n"}, "L1: " + strings.Repeat("é", 500) + "… [line cut here: 500 characters are shown]\n", false},
		{"read_file", `{"file_path":"/a"}`, engine.CallResult{Text: "the file is empty"}, "the file is empty", false},
		{"read_file", `{"file_path":"/a"}`, engine.CallResult{Text: "     1\tx", Failed: true}, "     1\tx", true},
		{"read_file", `{"file_path":"/a"}`, engine.CallResult{Text: "1\tx/\n", Folder: true}, "1\tx/\n", false},
		{"list_dir", `{"dir_path":"/a"}`, engine.CallResult{Text: "b/\nb/x -> y (1 bytes)\nlink -> /c\nf (not a regular file)\n\"a\\n\" (3 bytes)\n"}, "Absolute path: /a\nb/\nb/x -> y\nlink@\nf?\n\"a\\n\"\n", false},
		{"list_dir", `{"dir_path":"/a"}`, engine.CallResult{Text: "b/\n[x] (1 bytes)\n[there are more names: go on with offset 3]\n[1 folder could not be read]\n"}, "Absolute path: /a\nb/\n[x]\nMore than 2 entries found\n[1 folder could not be read]\n", false},
		{"list_dir", `{"dir_path":"/a"}`, engine.CallResult{Text: "the folder is empty"}, "Absolute path: /a\n[the folder is empty]\n", false},
		{"list_dir", `{"dir_path":"/a"}`, engine.CallResult{Text: "a does not exist", Failed: true}, "a does not exist", true},
		{"grep_files", `{"pattern":"x"}`, engine.CallResult{Text: "no matches", Matches: none}, "No matches found.", true},
		{"grep_files", `{"pattern":"x"}`, engine.CallResult{Text: "[1 file could not be searched]\n", Matches: none}, "No matches found.\n[1 file could not be searched]\n", true},
		{"grep_files", `{"pattern":"x"}`, engine.CallResult{Text: "a\n", Matches: one}, "a\n", false},
		{"grep_files", `{"pattern":"x"}`, engine.CallResult{Text: "[interrupted: there may be more]\n", Matches: &event.FileMatches{Cut: true}}, "[interrupted: there may be more]\n", false},
	} {
		got := shown().Binding(t, test.name).AdaptResult(jsontext.Value(test.input), test.r)
		if got.Text != test.want || got.Failed != test.fails {
			t.Errorf("%s %q became %q, failed %v; want %q", test.name, test.r.Text, got.Text, got.Failed, test.want)
		}
	}
}
