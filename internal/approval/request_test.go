package approval

import "testing"

func TestSame(t *testing.T) {
	file := func(path string, write bool) Path { return Path{Path: path, Write: write} }
	edit := Request{Tool: "edit", Level: Write, Paths: []Path{file("/w/a", true), file("/w/b", true)}, Summary: "one"}
	line := Request{Tool: "shell", Level: Execute, Command: "make", Dir: "/w"}
	for name, test := range map[string]struct {
		a, b Request
		same bool
	}{
		"itself":               {line, line, true},
		"another summary":      {edit, Request{Tool: "edit", Level: Write, Paths: edit.Paths, Summary: "two"}, true},
		"another order":        {edit, Request{Tool: "edit", Level: Write, Paths: []Path{file("/w/b", true), file("/w/a", true)}}, true},
		"another display name": {edit, Request{Tool: "edit", Level: Write, Paths: []Path{{Path: "/w/a", Shown: "x", Write: true, Outside: true}, file("/w/./b", true)}}, true},
		"one path fewer":       {edit, Request{Tool: "edit", Level: Write, Paths: edit.Paths[:1]}, false},
		"a path twice":         {edit, Request{Tool: "edit", Level: Write, Paths: append(edit.Paths[:2:2], edit.Paths[0])}, true},
		"read, not written":    {edit, Request{Tool: "edit", Level: Write, Paths: []Path{file("/w/a", true), file("/w/b", false)}}, false},
		"with all below":       {edit, Request{Tool: "edit", Level: Write, Paths: []Path{edit.Paths[0], edit.Paths[1].All()}}, false},
		"another tool":         {edit, Request{Tool: "write", Level: Write, Paths: edit.Paths}, false},
		"another level":        {line, Request{Tool: "shell", Level: Write, Command: "make", Dir: "/w"}, false},
		"another command":      {line, Request{Tool: "shell", Level: Execute, Command: "make all", Dir: "/w"}, false},
		"another folder":       {line, Request{Tool: "shell", Level: Execute, Command: "make", Dir: "/v"}, false},
		"outside the sandbox":  {line, Request{Tool: "shell", Level: Execute, Command: "make", Dir: "/w", Escalate: true}, false},
		"another reason":       {line, Request{Tool: "shell", Level: Execute, Command: "make", Dir: "/w", Justification: "x"}, true},
		"another URL":          {Request{Tool: "fetch", URL: "https://x/a"}, Request{Tool: "fetch", URL: "https://x/b"}, false},
		"another server":       {Request{Tool: "t", Server: "a"}, Request{Tool: "t", Server: "b"}, false},
	} {
		if got := test.a.Same(test.b); got != test.same || test.b.Same(test.a) != got {
			t.Errorf("%s: %v", name, got)
		}
	}
}
