package tool

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/patch"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// patchOf puts the frame of a patch around lines.
func patchOf(lines ...string) in {
	return in{"input": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"}
}

// treeOf returns every file of a workspace, and every folder that is empty, as "name/".
func treeOf(t testing.TB, w *workspace.Workspace) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(w.Dir(), func(path string, entry os.DirEntry, err error) error {
		if err != nil || path == w.Dir() {
			return err
		}
		delete(tree, w.Rel(filepath.Dir(path))+"/")
		if entry.IsDir() {
			tree[w.Rel(path)+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(path)
		tree[w.Rel(path)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const patchedText = "one\ntwo\nthree\n\nfunc a() {\n\treturn x\n}\n\nfunc b() {\n\treturn x\n}\n"

// One file, one update.
func TestPatchHunks(t *testing.T) {
	tests := []struct {
		name, old string
		lines     []string
		want      string // "!": part of the error instead
	}{
		{"replace", "", []string{"@@", " one", "-two", "+TWO", " three"}, strings.Replace(patchedText, "two", "TWO", 1)},
		{"first hunk without @@", "", []string{" one", "-two", " three"}, strings.Replace(patchedText, "two\n", "", 1)},
		{"empty line stays", "", []string{"@@", "-three", "+3", "", " func a() {"}, strings.Replace(patchedText, "three", "3", 1)},
		{"empty line before the end", "", []string{"@@", "-three", "+3", "", ""}, strings.Replace(patchedText, "three", "3", 1)},
		{"head", "", []string{"@@ func b() {", "-\treturn x", "+\treturn y"}, strings.Replace(patchedText, "b() {\n\treturn x", "b() {\n\treturn y", 1)},
		{"head of another indentation", "", []string{"@@   func b() {  ", "-\treturn x", "+\treturn y"}, strings.Replace(patchedText, "b() {\n\treturn x", "b() {\n\treturn y", 1)},
		{"head with ranges", "", []string{"@@ -8,3 +8,3 @@ func b() {", "-\treturn x", "+\treturn y"}, strings.Replace(patchedText, "b() {\n\treturn x", "b() {\n\treturn y", 1)},
		{"ranges only", "", []string{"@@ -1,3 +1,2 @@", " one", "-two"}, strings.Replace(patchedText, "two\n", "", 1)},
		{"head that is the first line too", "", []string{"@@ func b() {", " func b() {", "-\treturn x"}, strings.Replace(patchedText, "b() {\n\treturn x\n", "b() {\n", 1)},
		{"heads", "x\nclass A\n  def f\n    1\nclass B\n  def f\n    1\n", []string{"@@ class B", "@@   def f", "-    1", "+    2"}, "x\nclass A\n  def f\n    1\nclass B\n  def f\n    2\n"},
		{"insert after a head", "", []string{"@@ func b() {", "+\tlog()"}, strings.Replace(patchedText, "b() {\n", "b() {\n\tlog()\n", 1)},
		{"insert at the end", "", []string{"@@", "+// end"}, patchedText + "// end\n"},
		{"insert at the end of an empty file", "-", []string{"@@", "+a", "+b"}, "a\nb\n"},
		{"end of file", "a\nb\na\n", []string{"@@", "-a", "+c", "*** End of File"}, "a\nb\nc\n"},
		{"empty line at the end of file", "a\nb\n\n", []string{"@@", "-b", "+c", "", "*** End of File"}, "a\nc\n\n"},
		{"no newline kept", "a\nb", []string{"@@", "-a", "+A", " b"}, "A\nb"},
		{"no newline, appended", "a\nb", []string{"@@", "+c"}, "a\nb\nc"},
		{"everything goes", "a\nb\n", []string{"@@", "-a", "-b"}, ""},
		{"crlf", "a\r\nb\r\nc\r\n", []string{"@@", " a", "-b", "+x", "+y"}, "a\r\nx\r\ny\r\nc\r\n"},
		{"trailing space", "a  \nb\t\nc\n", []string{"@@", " a", "-b", "+x"}, "a  \nx\nc\n"},
		{"surrounding space", "\ta\n  b\nc\n", []string{"@@", " a", "-b", "+x"}, "\ta\nx\nc\n"},
		{"indentation of the file", "f:\n\tif a {\n\t\tb\n\t}\n", []string{"@@", "     if a {", "-        b", "+        c", "+        if d {", "+            e", "+        }", "     }"}, "f:\n\tif a {\n\t\tc\n\t\tif d {\n\t\t\te\n\t\t}\n\t}\n"},
		{"plain quotes and dashes", "say\n“it’s” – so\nend\n", []string{"@@", " say", "-\"it's\" - so", "+no"}, "say\nno\nend\n"},
		{"typographic lines at two places", "“a”\nx\n”a“\n", []string{"@@", "-\"a\"", "+b"}, "!it fits at 2 places (lines 1, 3)"},
		{"exact before loose", " a\na\n", []string{"@@", "-a", "+b"}, " a\nb\n"},
		{"bytes kept", "\xff\na\n", []string{"@@", "-a", "+b"}, "\xff\nb\n"},
		{"two hunks", "", []string{"@@", "-one", "+1", "@@ func a() {", "-\treturn x"}, strings.Replace("1"+patchedText[3:], "\treturn x\n", "", 1)},
		{"two hunks below one head", "h\na\nb\nc\nd\n", []string{"@@ h", "-a", "+A", "@@ h", "-c", "+C"}, "h\nA\nb\nC\nd\n"},
		{"again below a head, after the first change", "h\na\nb\na\n", []string{"@@ h", "-a", "+1", " b", "@@ h", "-a", "+2"}, "h\n1\nb\n2\n"},
		{"a head after the change before others", "h\na\nx\na\nh\na\n", []string{"@@", "-x", "@@ h", "-a", "+b"}, "h\na\na\nh\nb\n"},
		{"shared context", "a\nb\nc\n", []string{"@@", "-a", "+A", " b", "@@", " b", "-c", "+C"}, "A\nb\nC\n"},
		{"insert at one place twice", "a\nb\n", []string{"@@", " a", "+1", "@@", "+2", " b"}, "a\n1\n2\nb\n"},
		{"second of a kind, after the first", "a\nx\na\nx\n", []string{"@@", " a", "-x", "+1", " a", "@@", "-x", "+2"}, "a\n1\na\n2\n"},
		{"twice the same file", "a\nb\n", []string{"@@", "-a", "+1", "*** Update File: f", "@@", "-1", "+2"}, "2\nb\n"},
		{"stars in the text", "*** a\n@@ b\n", []string{"@@", " *** a", "-@@ b", "+@@ c"}, "*** a\n@@ c\n"},

		{"ambiguous", "", []string{"@@", "-\treturn x"}, "!cannot update f: hunk 1 (line 3 of the patch): it fits at 2 places (lines 6, 10); give more of the lines around it"},
		{"ambiguous head", "h\na\nh\na\n", []string{"@@ h", "-a"}, "!it fits at 2 places (lines 2, 4)"},
		{"ambiguous insertion", "h\na\nh\na\n", []string{"@@ h", "+x"}, "!it fits at 2 places (lines 2, 4)"},
		{"heads that lead to one place", "h\nh\na\n", []string{"@@ h", "-a"}, "h\nh\n"},
		{"missing", "", []string{"@@", "-one", "@@", " two", "-2", "+3"}, `!hunk 2 (line 5 of the patch): its first line is at line 2, but then it has "2" where the file has "three"`},
		{"missing after the end", "a\nb\n", []string{"@@", " a", " b", "-c"}, `!its first 2 lines are at line 1, but then it has "c" where the file has the end of the file`},
		{"missing at all", "", []string{"@@", "-four"}, `!the file has no such line as its first: "four"; read the file`},
		{"missing head", "", []string{"@@ func c() {", "-one"}, `!the file has no such line as behind its @@: "func c() {"`},
		{"above its head", "", []string{"@@ func b() {", "-two"}, "!its lines are at line 2, but not after the line of its @@"},
		{"wrong order", "", []string{"@@", "-three", "@@", "-one"}, "!hunk 2 (line 5 of the patch): its lines are at line 1, before a change of an earlier hunk"},
		{"not at the end", "", []string{"@@", "-one", "*** End of File"}, "!its lines are at line 1, but not at the end of the file"},
		{"empty file", "-", []string{"@@", "-a"}, "!the file is empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			old := test.old
			switch old {
			case "":
				old = patchedText
			case "-":
				old = ""
			}
			w := workspacetest.New(t, map[string]string{"f": old})
			got := runTool(t, w, Patch(), patchOf(append([]string{"*** Update File: f"}, test.lines...)...))
			want, wrong := strings.CutPrefix(test.want, "!")
			if got.IsError != wrong || wrong && !strings.Contains(got.Text, want) {
				t.Fatalf("%+v, want %s", got, want)
			}
			if wrong {
				want = old
			}
			if text := fileText(t, w.Dir()+"/f"); text != want {
				t.Errorf("the file is %q, want %q", text, want)
			}
		})
	}
}

func TestPatchFiles(t *testing.T) {
	before := map[string]string{"a": "1\n", "b": "2\n", "c/d": "3\n", "run.sh": "#!/bin/sh\n"}
	tests := []struct {
		name  string
		lines []string
		want  map[string]string // what differs then; "-": the file is gone
		text  string            // lines after the first, "|" separated; "!": part of the error
	}{
		{
			"all kinds",
			[]string{"*** Delete File: a", "*** Add File: new/deep/x", "+x", "+", "+y", "", "*** Update File: b", "@@", "-2", "+two"},
			map[string]string{"a": "-", "new/deep/x": "x\n\ny\n", "b": "two\n"},
			"A new/deep/x|M b|D a",
		},
		{"empty file", []string{"*** Add File: empty"}, map[string]string{"empty": ""}, "A empty"},
		{"move", []string{"*** Update File: a", "*** Move to: c/a", "@@", "-1", "+one"}, map[string]string{"a": "-", "c/a": "one\n"}, "A c/a|D a"},
		{"move as it is", []string{"*** Update File: a", "*** Move to: z"}, map[string]string{"a": "-", "z": "1\n"}, "A z|D a"},
		{"move to itself", []string{"*** Update File: a", "*** Move to: ./a", "@@", "-1", "+one"}, map[string]string{"a": "one\n"}, "M a"},
		{
			"swap", []string{
				"*** Update File: a", "*** Move to: t", "*** Update File: b", "*** Move to: a", "*** Update File: t", "*** Move to: b",
			}, map[string]string{"a": "2\n", "b": "1\n"}, "M a|M b",
		},
		{"delete and add", []string{"*** Delete File: a", "*** Add File: a", "+new"}, map[string]string{"a": "new\n"}, "M a"},
		{"add and update", []string{"*** Add File: x", "+1", "*** Update File: x", "@@", "-1", "+2"}, map[string]string{"x": "2\n"}, "A x"},
		{"add and delete", []string{"*** Add File: x", "+1", "*** Delete File: x"}, nil, "nothing"},
		{"no change", []string{"*** Update File: a", "@@", " 1"}, nil, "nothing"},

		{"second fails", []string{"*** Add File: x/y", "+x", "*** Update File: b", "@@", "-3"}, nil, "!cannot update b: hunk 1 (line 5 of the patch): the file has no such line"},
		{"missing file", []string{"*** Update File: B", "@@", "-2"}, nil, "!cannot update B: it does not exist; the same folder has"},
		{"missing to delete", []string{"*** Delete File: nowhere/x"}, nil, "!cannot delete nowhere/x: its folder nowhere does not exist"},
		{"there already", []string{"*** Add File: a", "+x"}, nil, "!cannot add a: it exists already"},
		{"move onto another", []string{"*** Update File: a", "*** Move to: b"}, nil, "!cannot update a: cannot move it to b: it exists already"},
		{"folder", []string{"*** Delete File: c"}, nil, "!cannot delete c: it is not a regular file"},
		{"deleted twice", []string{"*** Delete File: a", "*** Delete File: a"}, nil, "!cannot delete a: it does not exist"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := workspacetest.New(t, before)
			if err := os.Chmod(w.Dir()+"/run.sh", 0o755); err != nil {
				t.Fatal(err)
			}
			call, err := prepareTool(t, w, Patch(), patchOf(test.lines...))
			if err != nil {
				t.Fatal(err)
			}
			proposed, refusal := call.(Proposer).Propose(t.Context(), ClientFiles{})
			if diff := cmp.Diff(before, treeOf(t, w)); diff != "" {
				t.Fatal("proposing has changed something", diff)
			}
			got := call.Run(t.Context(), Hooks{})
			want := map[string]string{}
			for _, files := range []map[string]string{before, test.want} {
				for name, text := range files {
					if want[name] = text; text == "-" {
						delete(want, name)
					}
				}
			}
			if diff := cmp.Diff(want, treeOf(t, w)); diff != "" {
				t.Error(diff)
			}
			text, wrong := strings.CutPrefix(test.text, "!")
			if wrong {
				if !got.IsError || !strings.Contains(got.Text, text) || refusal == nil || refusal.Error() != got.Text {
					t.Errorf("%+v; proposing: %v", got, refusal)
				}
				return
			}
			text = "Success. Updated the following files:\n" + strings.ReplaceAll(text, "|", "\n") + "\n"
			if test.text == "nothing" {
				text = patchText(nil)
			}
			if got.IsError || got.Text != text {
				t.Errorf("%+v, want %q", got, text)
			}
			if diff := cmp.Diff(proposed, got.Changes); diff != "" || refusal != nil {
				t.Errorf("proposed is not what was done: %s %v", diff, refusal)
			}
		})
	}
}

func TestPatchChanges(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"a": "1\n2\n", "run.sh": "x\ny\n"})
	for name, mode := range map[string]os.FileMode{"/a": 0o640, "/run.sh": 0o755} {
		if err := os.Chmod(w.Dir()+name, mode); err != nil {
			t.Fatal(err)
		}
	}
	got := runTool(t, w, Patch(), patchOf("*** Delete File: a", "*** Update File: run.sh", "*** Move to: bin/go.sh", "@@", "-x", "+z"))
	want := []event.FileChange{
		{Path: "a", Op: event.Deleted, Existed: true, Diff: "--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n", Removed: 2, Mode: 0o640},
		{Path: "run.sh", Op: event.Deleted, Existed: true, Diff: "--- a/run.sh\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n", Removed: 2, Mode: 0o755},
		{Path: "bin/go.sh", Op: event.Created, Diff: "--- /dev/null\n+++ b/bin/go.sh\n@@ -0,0 +1,2 @@\n+z\n+y\n", Added: 2, After: contentHash([]byte("z\ny\n"))},
	}
	if diff := cmp.Diff(want, got.Changes); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(w.Dir() + "/bin/go.sh"); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("a moved program is %v, %v", info, err)
	}
}

func TestPatchRequest(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"a": "", "link": "-> a", ".git/config": ""})
	call, err := prepareTool(t, w, Patch(), patchOf(
		"*** Delete File: a", "*** Add File: link", "*** Add File: /elsewhere/x", "*** Update File: b", "*** Move to: .git/config", "*** Delete File: c"))
	if err != nil {
		t.Fatal(err)
	}
	want := approval.Request{
		Level: approval.Write, Summary: "patch a, /elsewhere/x, b and 2 more files",
		Paths: []approval.Path{
			{Path: w.Dir() + "/a", Shown: "a", Write: true},
			{Path: "/elsewhere/x", Shown: "/elsewhere/x", Write: true, Outside: true},
			{Path: w.Dir() + "/b", Shown: "b", Write: true},
			{Path: w.Dir() + "/.git/config", Shown: ".git/config", Write: true, Outside: true, Protected: true},
			{Path: w.Dir() + "/c", Shown: "c", Write: true},
		},
	}
	if diff := cmp.Diff(want, call.Request()); diff != "" {
		t.Error(diff)
	}
}

// A link is not what it points to: it is named, and neither of them goes.
func TestPatchKeepsLinks(t *testing.T) {
	before := map[string]string{"a": "1\n", "link": "-> a", "dangling": "-> nowhere"}
	w := workspacetest.New(t, before)
	for _, test := range []struct{ name, lines, want string }{
		{"delete", "*** Delete File: link", "link is a symlink to " + w.Dir() + "/a: a patch deletes and moves regular files only; use the shell for the link"},
		{"move", "*** Update File: link\n*** Move to: b\n@@\n-1\n+2", "link is a symlink to " + w.Dir() + "/a: a patch deletes and moves regular files only; use the shell for the link"},
		{"dangling", "*** Delete File: dangling", "dangling is a symlink to " + w.Dir() + "/nowhere: a patch deletes and moves regular files only; use the shell for the link"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := prepareTool(t, w, Patch(), patchOf(test.lines)); err == nil || err.Error() != test.want {
				t.Errorf("%v\nwant %s", err, test.want)
			}
		})
	}
	if got := runTool(t, w, Patch(), patchOf("*** Update File: link", "@@", "-1", "+2")); got.IsError {
		t.Errorf("an update follows a link: %+v", got)
	}
	if data, err := os.ReadFile(w.Dir() + "/a"); string(data) != "2\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// A patch that fails while it is written leaves the files as they were.
func TestPatchIsUndone(t *testing.T) {
	before := map[string]string{"a": "1\n", "b": "2\n", "locked/c": "3\n"}
	w := workspacetest.New(t, before)
	locked := w.Dir() + "/locked/c"
	if err := os.Chmod(locked, 0o444); err != nil {
		t.Fatal(err)
	}
	for _, last := range [][]string{{"*** Update File: locked/c", "@@", "-3", "+4"}, {"*** Delete File: locked/c"}} {
		lines := append([]string{"*** Delete File: b", "*** Update File: a", "@@", "-1", "+one", "*** Add File: new/deep/x", "+x"}, last...)
		got := runTool(t, w, Patch(), patchOf(lines...))
		if !got.IsError || got.Text != "cannot patch locked/c: it is read-only; no file was changed" || got.Changes != nil {
			t.Errorf("%+v", got)
		}
		if diff := cmp.Diff(before, treeOf(t, w)); diff != "" {
			t.Error(diff)
		}
	}
}

// What was proposed is what is done, or nothing.
func TestPatchIsBoundToItsProposal(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"a": "1\n2\n", "b": "x\n"})
	call, err := prepareTool(t, w, Patch(), patchOf("*** Update File: a", "@@", "-1", "+one", "*** Add File: c", "+c"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call.(Proposer).Propose(t.Context(), ClientFiles{}); err != nil {
		t.Fatal(err)
	}
	workspacetest.Lay(t, w.Dir(), map[string]string{"a": "1\n2\n3\n"})
	if got := call.Run(t.Context(), Hooks{}); got.Text != "cannot patch a: "+errChanged.Error() || !got.IsError {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(map[string]string{"a": "1\n2\n3\n", "b": "x\n"}, treeOf(t, w)); diff != "" {
		t.Error(diff)
	}
}

// A patch that is made of two texts leads from one to the other.
func TestPatchLaw(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", " a", "c\t", "", "*** x", "@@ y", "+", "-a"}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		from, to := text.Draw(t, "from"), text.Draw(t, "to")
		open := rapid.Bool().Draw(t, "open") && len(from) > 0 && from[len(from)-1] != ""
		if open && len(to) > 0 && to[len(to)-1] == "" {
			return // such a text cannot be distinguished from one with an end
		}
		old, want := joined(from, open), joined(to, open)
		lines := append([]string{"*** Begin Patch", "*** Update File: f"}, hunksBetween(from, to)...)
		if len(lines) == 2 {
			return
		}
		sections, err := patch.Parse(strings.Join(append(lines, "*** End Patch"), "\n"))
		if err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
		}
		if got, err := patch.Apply(old, sections[0].Hunks); err != nil || got != want {
			t.Fatalf("%v\n%s\ngot  %q\nwant %q", err, strings.Join(lines, "\n"), got, want)
		}
	})
}

func joined(lines []string, open bool) string {
	text := strings.Join(lines, "\n")
	if len(lines) > 0 && !open {
		text += "\n"
	}
	return text
}

// hunksBetween returns the hunks of a patch: each place that differs, with as many lines around
// it as make it the only one.
func hunksBetween(from, to []string) (hunks []string) {
	done := 0
	for i, j := 0, 0; i < len(from) || j < len(to); {
		if i < len(from) && j < len(to) && from[i] == to[j] {
			i, j = i+1, j+1
			continue
		}
		oldEnd, newEnd := nextShared(from, to, i, j)
		hunks = append(hunks, oneHunk(from, to[j:newEnd], i, oldEnd, done)...)
		done, i, j = oldEnd, oldEnd, newEnd
	}
	return hunks
}

// nextShared returns where both texts have a line in common again.
func nextShared(from, to []string, i, j int) (int, int) {
	for sum := 1; sum <= len(from)-i+len(to)-j; sum++ {
		for a := max(0, sum-(len(to)-j)); a <= min(sum, len(from)-i); a++ {
			if i+a < len(from) && j+sum-a < len(to) && from[i+a] == to[j+sum-a] {
				return i + a, j + sum - a
			}
		}
	}
	return len(from), len(to)
}

// oneHunk replaces from[begin:end] by come. Lines before done are out of reach.
func oneHunk(from, come []string, begin, end, done int) []string {
	first, last := begin, end
	hunk := func() (lines []string) {
		lines = append(lines, "@@")
		for i := first; i < begin; i++ {
			lines = append(lines, " "+from[i])
		}
		for i := begin; i < end; i++ {
			lines = append(lines, "-"+from[i])
		}
		for _, line := range come {
			lines = append(lines, "+"+line)
		}
		for i := end; i < last; i++ {
			lines = append(lines, " "+from[i])
		}
		return lines
	}
	for places(from, from[first:last], done) != 1 {
		if last < len(from) {
			last++
		} else if first > done {
			first--
		} else {
			break
		}
	}
	if last == len(from) {
		return append(hunk(), "*** End of File")
	}
	return hunk()
}

// places returns how often old stands in lines at or after from.
func places(lines, old []string, from int) (n int) {
	for i := from; i+len(old) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(old)], old) {
			n++
		}
	}
	return n
}

// However a patch reads, it harms nothing but the files that its request names.
func FuzzPatch(f *testing.F) {
	for _, lines := range [][]string{
		{"*** Add File: x", "+y"},
		{"*** Update File: a", "*** Move to: ../out", "@@ one", "-two", "+2", "*** End of File"},
		{"*** Delete File: link", "*** Update File: dir/b", "@@ -1 +1 @@", "", "+q"},
	} {
		f.Add(patchOf(lines...)["input"].(string))
	}
	f.Fuzz(func(t *testing.T, text string) {
		w := workspacetest.New(t, map[string]string{"ws/a": "one\ntwo\n", "ws/dir/b": "three\r\n", "ws/link": "-> ../secret", "secret": "s"})
		inner, err := workspace.Open(w.Dir() + "/ws")
		if err != nil {
			t.Fatal(err)
		}
		defer inner.Close()
		call, err := prepareTool(t, inner, Patch(), in{"input": strings.ToValidUTF8(text, "?")})
		if err != nil {
			return
		}
		named := map[string]bool{}
		for _, p := range call.Request().Paths {
			if !strings.HasPrefix(p.Path, w.Dir()+"/") {
				return
			}
			named[w.Rel(p.Path)] = true
		}
		before := treeOf(t, w)
		got := call.Run(t.Context(), Hooks{})
		after := treeOf(t, w)
		for name, text := range before {
			if now, there := after[name]; (now != text || !there) && (!named[name] || got.IsError) && !strings.HasSuffix(name, "/") {
				t.Fatalf("%s was changed: %q, %+v", name, now, got)
			}
		}
		for name := range after {
			if _, there := before[name]; !there && (!named[name] || got.IsError) && !strings.HasSuffix(name, "/") {
				t.Fatalf("%s was made: %+v", name, got)
			}
		}
	})
}
