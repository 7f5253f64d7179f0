package tool

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestPreview: a preview says what a call would do now, and does not bind the call to it.
func TestPreview(t *testing.T) {
	type effect = approval.FileEffect
	w := workspacetest.New(t, map[string]string{"a": "1\n2\n", "b": "x\r\n", "bin": "\x00"})
	for _, test := range []struct {
		tool  Tool
		input in
		want  []effect
	}{
		{Write(), in{"path": "new/c", "content": "one\n"}, []effect{{Path: "new/c", Op: "created", After: 4, Added: 1}}},
		{Write(), in{"path": "a", "content": "1\n"}, []effect{{Path: "a", Op: "updated", Before: 4, After: 2, Removed: 1}}},
		{Write(), in{"path": "a", "content": "1\n2\n"}, nil},
		{Write(), in{"path": "bin", "content": "x"}, []effect{{Path: "bin", Op: "updated", Before: 1, After: 1}}},
		{Write(), in{"path": "b", "content": "x\r\n\u202ey\r\n"}, []effect{
			{Path: "b", Op: "updated", Before: 3, After: 9, Added: 1, Invisible: []string{"U+202E"}},
		}},
		{Edit(), in{"path": "a", "old": "2", "new": "two"}, []effect{{Path: "a", Op: "updated", Before: 4, After: 6, Added: 1, Removed: 1}}},
		{Edit(), in{"path": "a", "old": "3", "new": "two"}, nil},
		{Patch(), patchOf("*** Update File: a", "@@", "-1", "+one", "*** Delete File: b", "*** Add File: c", "+c"), []effect{
			{Path: "a", Op: "updated", Before: 4, After: 6, Added: 1, Removed: 1},
			{Path: "b", Op: "deleted", Before: 3, Removed: 1},
			{Path: "c", Op: "created", After: 2, Added: 1},
		}},
		{Patch(), patchOf("*** Update File: a", "@@", "-7", "+one"), nil},
	} {
		call, err := prepareTool(t, w, test.tool, test.input)
		if err != nil {
			t.Fatal(err)
		}
		got := call.(Previewer).Preview(t.Context(), ClientFiles{})
		if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(effect{}, "Diff")); diff != "" {
			t.Errorf("%v: %s", test.input, diff)
		}
		for _, e := range got {
			if (e.Diff == "") != (e.Path == "bin") {
				t.Errorf("%v: diff %q", test.input, e.Diff)
			}
		}
	}
	call, err := prepareTool(t, w, Edit(), in{"path": "a", "old": "2", "new": "two"})
	if err != nil {
		t.Fatal(err)
	}
	call.(Previewer).Preview(t.Context(), ClientFiles{})
	workspacetest.Lay(t, w.Dir(), map[string]string{"a": "0\n1\n2\n"})
	if got := call.Run(t.Context(), Hooks{}); got.IsError || !strings.HasPrefix(got.Text, "edited a") {
		t.Errorf("%+v", got)
	}
}
