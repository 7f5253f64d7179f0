package tool

import (
	"testing"

	"parley.dev/parley/internal/tool/workspacetest"
)

func TestList(t *testing.T) {
	w := workspacetest.New(t, searchTree, "state")
	tests := []struct {
		in   in
		want string
	}{
		{in{}, ".git/\n.hidden/\nbin/\ncaps/\nstate/\nsub/\nvendor/\n.gitignore (38 bytes)\na-b.go (10 bytes)\na.go (33 bytes)\nkeep.log (12 bytes)\n\"we\\nird.go\" (13 bytes)\n"},
		{in{"path": "sub"}, "build/\ndeep/\n.gitignore (20 bytes)\napp.log (15 bytes)\nb.ts (11 bytes)\nc.tsx (6 bytes)\nlink.go -> ../a.go\nlinked -> ../.hidden\n"},
		{in{"path": "sub/deep"}, "x_test.go (12 bytes)\n"},
		{in{"path": "sub/deep", "ignored": true}, "private.go (15 bytes)\nx_test.go (12 bytes)\n"},
		{in{"path": "node_modules/m"}, "m.go (14 bytes)\n"},
		{in{"path": ".git/info/../info"}, "exclude (12 bytes)\n"},
	}
	for _, test := range tests {
		if got := runTool(t, w, List(), test.in); got.IsError || got.Text != test.want {
			t.Errorf("%v:\ngot  %q\nwant %q", test.in, got.Text, test.want)
		}
	}
	empty := workspacetest.New(t, nil)
	if got := runTool(t, empty, List(), in{"path": ""}); got.Text != "the folder is empty" {
		t.Errorf("got %+v", got)
	}
	if got := runTool(t, w, List(), in{"path": "a.go"}); !got.IsError {
		t.Errorf("got %+v", got)
	}
}
