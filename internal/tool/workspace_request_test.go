package tool

import (
	"fmt"
	"testing"

	"parley.dev/parley/internal/tool/workspacetest"
)

// What is asked for is exactly what will be opened.
func TestRequests(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"dir/f": "x"})
	tests := []struct {
		tool Tool
		in   in
		want string
	}{
		{Read(), in{"path": "dir/f"}, "read dir/f; read dir/f"},
		{Write(), in{"path": "n\nl", "content": "12"}, "write n\nl; write \"n\\nl\" (2 bytes)"},
		{Edit(), in{"path": "dir/f", "old": "x", "new": "y"}, "write dir/f; edit dir/f"},
		{Glob(), in{"pattern": "dir/*.go"}, "read dir; find *.go in dir"},
		{Glob(), in{"pattern": "**"}, "read .; find ** in ."},
		{Glob(), in{"pattern": "../x/*"}, "read ../x outside; find * in ../x"},
		{Glob(), in{"pattern": "sub/*", "path": "dir/"}, "read dir/sub; find * in dir/sub"},
		{Glob(), in{"pattern": "/etc/*.conf", "path": "dir"}, "read /etc outside; find *.conf in /etc"},
		{Grep(), in{"pattern": "x", "path": ".."}, "read .. outside; search for x in .."},
		{List(), in{}, "read .; list ."},
	}
	for i, test := range tests {
		call, err := prepareTool(t, w, test.tool, test.in)
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		r := call.Request()
		path := r.Paths[0]
		got := fmt.Sprintf("%s %s", r.Level, path.Shown)
		if path.Outside {
			got += " outside"
		}
		got += "; " + r.Summary
		if got != test.want || path.Write != (r.Level.String() == "write") || r.Tool != "" {
			t.Errorf("%d: got %q %+v, want %q", i, got, r, test.want)
		}
	}
}
