package tool

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/workspacetest"
)

func TestPermissions(t *testing.T) {
	w := workspacetest.New(t, nil)
	for _, test := range []struct {
		kind, target, level string
		recursive           bool
		want                approval.Request // but for Summary
		refused             bool
	}{
		{kind: "path", target: "src", level: "write", recursive: true, want: approval.Request{
			Level: approval.Write, Paths: []approval.Path{{Path: w.Dir() + "/src", Shown: "src", Write: true, Recursive: true}},
		}},
		{kind: "path", target: "src", level: "read", want: approval.Request{Level: approval.Read, Paths: []approval.Path{{Path: w.Dir() + "/src", Shown: "src"}}}},
		{kind: "path", target: "src", level: "execute", refused: true},
		{kind: "path", target: "src", level: "admin", refused: true},
		{kind: "domain", target: "*.x.y", level: "read", want: approval.Request{Level: approval.Execute, URL: "https://*.x.y"}},
		{kind: "domain", target: "https://x.y", level: "read", refused: true},
		{kind: "command", target: "go test *", level: "execute", want: approval.Request{Level: approval.Execute, Command: "go test *", Dir: w.Dir()}},
		{kind: "command", target: "env *", level: "execute", refused: true},
		{kind: "other", target: "x", level: "read", refused: true},
	} {
		call, err := prepareTool(t, w, Permissions(), in{
			"target_type": test.kind, "target": test.target, "level": test.level, "recursive": test.recursive, "description": "d",
		})
		if err != nil {
			if !test.refused {
				t.Errorf("%s %s: %v", test.kind, test.target, err)
			}
			continue
		}
		got := call.Request()
		if got.Summary != "d" {
			t.Errorf("%q", got.Summary)
		}
		got.Summary = ""
		if diff := cmp.Diff(test.want, got); test.refused || diff != "" {
			t.Errorf("%s %s: %s", test.kind, test.target, diff)
		}
	}
}
