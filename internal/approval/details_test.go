package approval

import (
	"slices"
	"strings"
	"testing"
)

func TestPrograms(t *testing.T) {
	for line, want := range map[string]string{
		"":                                      "",
		"ls":                                    "ls",
		"go test ./...":                         "go",
		"./deploy.sh prod":                      "./deploy.sh",
		"ls; rm -rf x":                          "ls|rm",
		"cd a && make; make clean":              "cd|make",
		"git status; git push -f":               "git status|git push",
		"sudo rm -rf /":                         "sudo rm -rf /",
		"ls | xargs rm":                         "ls|xargs rm",
		"echo $(rm x) `touch y`":                "echo|rm|touch",
		"python3 -c 'x' && ls":                  "python3 -c x|ls",
		"f() { rm x; }; f":                      "rm|f",
		"for i in a b; do cp $i c; done & wait": "cp|wait",
		"X=1 make":                              "make",
		"$CMD x; ls":                            "$CMD|ls",
		"echo 'not":                             "echo 'not",
		"> out":                                 "> out",
		"diff <(sort a) <(sort b)":              "diff|sort",
	} {
		if got := Programs(line); strings.Join(got, "|") != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func TestDetails(t *testing.T) {
	path := func(p string) Path { return Path{Path: p, Write: true} }
	for _, test := range []struct {
		name   string
		r      Request
		reason string
		files  []FileEffect
		want   []string
	}{
		{name: "nothing to say", r: Request{Command: "ls"}},
		{name: "why", r: Request{Command: "ls -l"}, reason: "matches ask rule bash", want: []string{"matches ask rule bash"}},
		{
			name: "outside of the sandbox", r: Request{Command: "make", Escalate: true, Justification: "it installs"}, reason: reasonEscalate,
			want: []string{"the command is to run outside of the sandbox", "the model's reason: it installs"},
		},
		{name: "all programs", r: Request{Command: "ls; rm -rf x"}, want: []string{"runs ls, rm"}},
		{
			name: "invisible", r: Request{Command: "rm a\u202eb"}, reason: "why",
			want: []string{"why", "it holds characters that cannot be seen: U+202E"},
		},
		{
			name: "new file", r: Request{Paths: []Path{path("/w/a")}}, files: []FileEffect{{Path: "a", Op: "created", After: 11, Added: 1}},
			want: []string{"new file, 11 bytes"},
		},
		{
			name: "existing file", r: Request{Paths: []Path{path("/w/a")}},
			files: []FileEffect{{Path: "a", Op: "updated", Before: 1, After: 2, Added: 3, Removed: 4}},
			want:  []string{"existing file, 1 byte to 2 bytes, +3 -4 lines"},
		},
		{
			name: "existing file of a size that is not known", r: Request{Paths: []Path{path("/w/a")}},
			files: []FileEffect{{Path: "a", Op: "updated", Added: 3, Removed: 4}},
			want:  []string{"existing file, +3 -4 lines"},
		},
		{
			name: "empty file", r: Request{Paths: []Path{path("/w/a")}}, files: []FileEffect{{Path: "a", Op: "created"}},
			want: []string{"new file, 0 bytes"},
		},
		{
			name: "several files", r: Request{Paths: []Path{path("/w/a"), path("/w/b")}},
			files: []FileEffect{{Path: "a", Op: "deleted", Before: 5, Removed: 1}, {Path: "b", Op: "created", After: 5, Invisible: []string{"U+200B"}}},
			want: []string{
				"a: deletes the file, 5 bytes", "b: new file, 5 bytes; its new text holds characters that cannot be seen: U+200B",
			},
		},
		{name: "outside", r: Request{Paths: []Path{{Path: "/etc/x", Outside: true}}}, want: []string{"/etc/x is outside the workspace"}},
		{
			name: "said already", r: Request{Paths: []Path{{Path: "/etc/x", Outside: true}}}, reason: "path is outside the workspace: /etc/x",
			want: []string{"path is outside the workspace: /etc/x"},
		},
		{name: "protected", r: Request{Paths: []Path{{Path: "/w/.git/config", Outside: true, Protected: true}}}, want: []string{"/w/.git/config is protected"}},
		{name: "network", r: Request{URL: "https://example.com:8443/a?b"}, want: []string{"reaches the network: example.com:8443"}},
	} {
		if got := test.r.Details(test.reason, test.files); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
