package tool

import (
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/tool/workspacetest"
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
		{"mixed ends", "a\r\nb\n", in{"old": "a\nb", "new": "x\ny"}, "x\r\ny\n", "only in white space"},
		{"loosely the same", "bb", in{"old": "bb\n", "new": "bb"}, "=", "unchanged f: the file has that text already\n[old differs"},
		{"cancel", "a\n", in{"edits": []in{{"old": "a", "new": "b"}, {"old": "b", "new": "a"}}}, "=", "unchanged f"},

		{"absent", "a\n", in{"old": "z", "new": "x"}, "=", "cannot edit f: the text to replace was not found in the file; read"},
		{"ambiguous, with the lines before", "f\n\ta\n}\ng\n\ta\n}\n", in{"old": "\ta\n}", "new": "x"}, "=", "or replace all\nlines 1 to 3:\nf\n\ta\n}\nlines 3 to 6:\n}\ng\n\ta\n}"},
		{"ambiguous", "b\nb\nc\nb\n", in{"old": "b", "new": "x"}, "=", "found 3 matches of the text to replace (lines 1, 2, 4)"},
		{"overlapping", "aaa", in{"old": "aa", "new": "x"}, "=", "found 2 matches of the text to replace"},
		{"same", "a\n", in{"old": "a", "new": "a"}, "=", "old and new are the same text"},
		{"same in crlf", "a\r\nb\r\n", in{"old": "a\n", "new": "a\r\n"}, "=", "differ only in line ends"},
		{"empty old", "a\n", in{"old": "", "new": "x"}, "=", "only fits a new or empty file"},
		{"missing", "-", in{"old": "a", "new": "x"}, "=", "cannot edit f: it does not exist"},
		{"no new", "a\n", in{"old": "a"}, "=", "both old and new"},
		{"nothing", "a\n", in{}, "=", "both old and new"},
		{"both", "a\n", in{"old": "a", "new": "b", "edits": []in{{"old": "a", "new": "c"}}}, "=", "not both"},
		{"empty beside edits", "a\n", in{"old": "", "new": "", "replace_all": false, "edits": []in{{"old": "a", "new": "b"}}}, "b\n", "edited f"},
		{"second fails", "a\n", in{"edits": []in{{"old": "a", "new": "b"}, {"old": "a", "new": "c"}}}, "=", "edit 2 of 2: the text to replace was not found"},
		{"unknown key", "a\n", in{"old": "a", "new": "b", "all": true}, "=", "cannot be read"},
		{"indent", "x\n\tif a {\n\t\tb()\n\t}\n", in{"old": "if a {\n    b()\n}", "new": "if a {\n    c()\n    if d {\n        b()\n    }\n}"}, "x\n\tif a {\n\t\tc()\n\t\tif d {\n\t\t\tb()\n\t\t}\n\t}\n", "[old differs from lines 2 to 4 only in white space, quotes or dashes; those of the file were kept]"},
		{"trailing blanks", "a  \nb\t\nc\n", in{"old": "a\nb\n", "new": "a\nx\n"}, "a  \nx\nc\n", "[old differs from lines 1 to 2"},
		{"quotes", "say “hi” — it’s\nb\n", in{"old": "say \"hi\" - it's\nb", "new": "say \"hi\" - it's\nc"}, "say “hi” — it’s\nc\n", "[old differs from lines 1 to 2"},
		{"no-break space", "a\u00a0b\n", in{"old": "a b", "new": "c"}, "c\n", "[old differs from line 1 "},
		{"line numbers", "a\nb\nc\n", in{"old": "     1\ta\n     2\tb\n", "new": "     1\ta\n     2\tx\n"}, "a\nx\nc\n", "[the line numbers in old were left out]"},
		{"numbers in old only", "a\nb\nc\n", in{"old": "     2\tb", "new": "x"}, "a\nx\nc\n", "line numbers"},
		{"escaped twice", "a\n\tb\n", in{"old": "a\\n\\tb", "new": "a\\n\\tc"}, "a\n\tc\n", "escapes"},
		{"lines removed", "a\n  b\nc\n", in{"old": "\tb\n", "new": ""}, "a\nc\n", "[old differs from line 2 "},
		{"loosely at two places", "  a\nx\n\ta\n", in{"old": "    a\n", "new": "b\n"}, "=", "only in white space"},
		{"nearest", "a\nb\nif x: # note\nc\n", in{"old": "b\nif x:\nc", "new": "d"}, "=", "the nearest place is lines 2 to 4:\nb\nif x: # note\nc\n"},
		{"spaces", "a  =  1\n", in{"old": "a = 1", "new": "c"}, "=", "line 1 differs from it only in white space"},
	}
	for _, test := range tests {
		files := map[string]string{"f": test.old}
		if test.old == "-" {
			files = nil
		}
		w := workspacetest.New(t, files)
		test.in["path"] = "f"
		got := runTool(t, w, Edit(), test.in)
		if !strings.Contains(got.Text, test.text) || got.IsError != (test.want == "=" && !strings.HasPrefix(test.text, "unchanged")) {
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
		w := workspacetest.New(t, map[string]string{"f": text})
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
		if strings.Contains(got.Text, "\n[") {
			return // a text was found that is not exactly there: TestEdit has those
		}
		if got.IsError != failed {
			rt.Fatalf("%q %v: got %+v", text, edits, got)
		}
		if after := fileText(t, filepath.Join(w.Dir(), "f")); after != want {
			rt.Fatalf("%q %v: holds %q, want %q", text, edits, after, want)
		}
		for _, change := range got.Changes {
			if applied, err := ApplyDiff(text, change.Diff); err != nil || applied != want {
				rt.Fatalf("%v: %q from\n%s", err, applied, change.Diff)
			}
		}
	})
}

func TestAmbiguousNamesTenLines(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"f": strings.Repeat("x\n", 50)})
	got := runTool(t, w, Edit(), in{"path": "f", "old": "x", "new": "y"})
	if want := "found 50 matches of the text to replace (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …)"; !strings.Contains(got.Text, want) {
		t.Errorf("got %q", got.Text)
	}
}
