package tool

import (
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type in = map[string]any

func TestEdit(t *testing.T) {
	tests := []struct {
		name, old string // content before; "-": no file
		in        in
		want      string // content after; "=": as before
		text      string // of the result, or a part of the error
	}{
		{"single", "a b c\n", in{"old": "b", "new": "x"}, "a x c\n", "edited f (1 replacement)"},
		{"delete", "a b c\n", in{"old": " b", "new": ""}, "a c\n", "edited f (1 replacement)"},
		{"all", "b b b", in{"old": "b", "new": "bb", "replace_all": true}, "bb bb bb", "edited f (3 replacements)"},
		{"chain", "a\n", in{"edits": []in{{"old": "a", "new": "b"}, {"old": "b", "new": "c"}}}, "c\n", "edited f (2 replacements)"},
		{"no file", "-", in{"old": "", "new": "x\n"}, "x\n", "edited f (1 replacement)"},
		{"empty file", "", in{"old": "", "new": "x\n"}, "x\n", "edited f (1 replacement)"},
		{"bom", "\ufeffa\n", in{"old": "a", "new": "b"}, "\ufeffb\n", "edited f"},
		{"bytes kept", "\xff a\n", in{"old": "a", "new": "b"}, "\xff b\n", "edited f"},
		{"crlf", "a\r\nb\r\nc\r\n", in{"old": "a\nb", "new": "x\ny\nz"}, "x\r\ny\r\nz\r\nc\r\n", "edited f"},
		{"crlf old", "a\r\nb\r\n", in{"old": "a\r\nb", "new": "x\ny"}, "x\r\ny\r\n", "edited f"},
		{"crlf chain", "a\r\n", in{"edits": []in{{"old": "a", "new": "b\nc"}, {"old": "b\nc", "new": "d"}}}, "d\r\n", "edited f"},
		{"mixed ends", "a\r\nb\n", in{"old": "a\nb", "new": "x"}, "=", "only in white space"},
		{"cancel", "a\n", in{"edits": []in{{"old": "a", "new": "b"}, {"old": "b", "new": "a"}}}, "=", "unchanged f"},

		{"absent", "a\n", in{"old": "z", "new": "x"}, "=", "cannot edit f: old does not stand in the file; read"},
		{"ambiguous", "b\nb\nc\nb\n", in{"old": "b", "new": "x"}, "=", "3 places (lines 1, 2, 4)"},
		{"overlapping", "aaa", in{"old": "aa", "new": "x"}, "=", "2 places"},
		{"same", "a\n", in{"old": "a", "new": "a"}, "=", "old and new are the same text"},
		{"same in crlf", "a\r\nb\r\n", in{"old": "a\n", "new": "a\r\n"}, "=", "differ only in line ends"},
		{"empty old", "a\n", in{"old": "", "new": "x"}, "=", "only fits a new or empty file"},
		{"missing", "-", in{"old": "a", "new": "x"}, "=", "cannot edit f: it does not exist"},
		{"no new", "a\n", in{"old": "a"}, "=", "both old and new"},
		{"nothing", "a\n", in{}, "=", "both old and new"},
		{"both", "a\n", in{"old": "a", "new": "b", "edits": []in{{"old": "a", "new": "c"}}}, "=", "not both"},
		{"second fails", "a\n", in{"edits": []in{{"old": "a", "new": "b"}, {"old": "a", "new": "c"}}}, "=", "edit 2 of 2: old does not stand"},
		{"unknown key", "a\n", in{"old": "a", "new": "b", "all": true}, "=", "cannot be read"},
		{"indent", "x\n\tif a {\n\t\tb()\n\t}\n", in{"old": "if a {\n    b()\n}", "new": "c"}, "=", "lines 2 to 4 differ from it only in white space; they are exactly:\n\tif a {\n\t\tb()\n\t}\n"},
		{"spaces", "a  =  1\n", in{"old": "a = 1", "new": "c"}, "=", "lines 1 to 1"},
	}
	for _, test := range tests {
		files := map[string]string{"f": test.old}
		if test.old == "-" {
			files = nil
		}
		w := workspaceWith(t, files)
		test.in["path"] = "f"
		got := runTool(t, w, Edit(), test.in)
		if !strings.Contains(got.Text, test.text) || got.IsError != (test.want == "=" && test.name != "cancel") {
			t.Errorf("%s: got %+v, want %q", test.name, got, test.text)
		}
		if (len(got.Changes) == 1) != (test.want != "=") {
			t.Errorf("%s: changes %+v", test.name, got.Changes)
		}
		path := filepath.Join(w.Dir(), "f")
		switch {
		case test.want == "=" && test.old != "-":
			test.want = test.old
			fallthrough
		case test.want != "=":
			if text := fileText(t, path); text != test.want {
				t.Errorf("%s: the file holds %q, want %q", test.name, text, test.want)
			}
		}
	}
}

// A list of edits does what its members do one by one, or nothing at all; the diff it
// reports leads from the old text to the new.
func TestEditLaw(t *testing.T) {
	piece := rapid.StringOfN(rapid.SampledFrom([]rune("ab\n")), 0, 3, -1)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\n")), 1, 20, -1).Draw(rt, "text")
		w := workspaceWith(t, map[string]string{"f": text})
		want, failed := text, false
		var edits []in
		for range rapid.IntRange(1, 4).Draw(rt, "edits") {
			old, put, all := piece.Draw(rt, "old"), piece.Draw(rt, "new"), rapid.Bool().Draw(rt, "all")
			edits = append(edits, in{"old": old, "new": put, "replace_all": all})
			n := strings.Count(want, old)
			switch {
			case old == put, old == "" && want != "", n == 0:
				failed = true
			case old == "":
				want = put
			case !all && strings.Index(want, old) != strings.LastIndex(want, old):
				failed = true
			default:
				want = strings.ReplaceAll(want, old, put)
			}
			if failed {
				want = text
				break
			}
		}
		got := runTool(t, w, Edit(), in{"path": "f", "edits": edits})
		if got.IsError != failed {
			rt.Fatalf("%q %v: got %+v", text, edits, got)
		}
		if after := fileText(t, filepath.Join(w.Dir(), "f")); after != want {
			rt.Fatalf("%q %v: holds %q, want %q", text, edits, after, want)
		}
		for _, change := range got.Changes {
			if applied, err := applyDiff(text, change.Diff); err != nil || applied != want {
				rt.Fatalf("%v: %q from\n%s", err, applied, change.Diff)
			}
		}
	})
}

func TestAmbiguousNamesTenLines(t *testing.T) {
	w := workspaceWith(t, map[string]string{"f": strings.Repeat("x\n", 50)})
	got := runTool(t, w, Edit(), in{"path": "f", "old": "x", "new": "y"})
	if want := "50 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …)"; !strings.Contains(got.Text, want) {
		t.Errorf("got %q", got.Text)
	}
}
