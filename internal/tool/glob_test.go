package tool

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/tool/workspacetest"
)

// searchTree is a workspace to search in.
var searchTree = map[string]string{
	".gitignore":            "*.log\n/build/\nnode_modules/\n!keep.log\n",
	".git/config":           "x.go needle\n",
	".git/info/exclude":     "excluded.go\n",
	".hidden/h.go":          "needle hidden\n",
	"a.go":                  "package a\n\nfunc A() { needle() }\n",
	"a-b.go":                "package a\n",
	"app.log":               "needle log\n",
	"keep.log":              "needle kept\n",
	"build/out.go":          "needle built\n",
	"excluded.go":           "needle excluded\n",
	"node_modules/m/m.go":   "needle module\n",
	"sub/.gitignore":        "private.go\n!app.log\n",
	"sub/app.log":           "needle sub log\n",
	"sub/build/in.go":       "needle sub build\n",
	"sub/deep/private.go":   "needle private\n",
	"sub/deep/x_test.go":    "needle test\n",
	"sub/b.ts":              "let needle\n",
	"sub/c.tsx":             "let c\n",
	"sub/link.go":           "-> ../a.go",
	"sub/linked":            "-> ../.hidden",
	"state/secret.go":       "needle secret\n",
	"bin/data.bin":          "needle\x00\n",
	"we\nird.go":            "needle weird\n",
	"vendor/.git/config":    "needle submodule\n",
	"vendor/v.go":           "needle vendored\n",
	"caps/UPPER.go":         "NEEDLE upper\n",
	"caps/lower.go":         "needle lower\n",
	"caps/[x]/bracketed.go": "needle bracketed\n",
}

func TestGlob(t *testing.T) {
	outside := workspacetest.TempDir(t)
	workspacetest.Lay(t, outside, map[string]string{"o.go": "needle\n", "deep/.gitignore": "no.go\n", "deep/p.go": "", "deep/no.go": ""})
	w := workspacetest.New(t, searchTree, "state")
	tests := []struct {
		in   in
		want string // lines, space separated
	}{
		{in{"pattern": "*.go"}, `a-b.go a.go "we\nird.go"`},
		{in{"pattern": "**/*.go"}, `.hidden/h.go a-b.go a.go caps/UPPER.go caps/[x]/bracketed.go caps/lower.go sub/build/in.go sub/deep/x_test.go sub/link.go vendor/v.go "we\nird.go"`},
		{in{"pattern": "**/*_test.go"}, "sub/deep/x_test.go"},
		{in{"pattern": "**/*.{ts,tsx}"}, "sub/b.ts sub/c.tsx"},
		{in{"pattern": "{sub/*.ts,caps/l*.go}"}, "caps/lower.go sub/b.ts"},
		{in{"pattern": "s*/*"}, "sub/.gitignore sub/app.log sub/b.ts sub/c.tsx sub/link.go sub/linked"},
		{in{"pattern": "./sub/*.ts"}, "sub/b.ts"},
		{in{"pattern": "*.ts", "path": "sub"}, "sub/b.ts"},
		{in{"pattern": "deep/*", "path": "sub/"}, "sub/deep/x_test.go"},
		{in{"pattern": "sub/"}, "sub/.gitignore sub/app.log sub/b.ts sub/build/in.go sub/c.tsx sub/deep/x_test.go sub/link.go sub/linked"},
		{in{"pattern": "*.log"}, "keep.log"},
		{in{"pattern": "**/*.log", "ignored": true}, "app.log keep.log sub/app.log"},
		{in{"pattern": "*.go", "ignored": true, "path": ""}, `a-b.go a.go excluded.go "we\nird.go"`},
		{in{"pattern": "build/*"}, "build/out.go"},
		{in{"pattern": "node_modules/**"}, "node_modules/m/m.go"},
		{in{"pattern": "node_modules/m/*"}, "node_modules/m/m.go"},
		{in{"pattern": ".git/*"}, ".git/config"},
		{in{"pattern": "**/config"}, ""},
		{in{"pattern": "**/secret.go"}, ""},
		{in{"pattern": "state/*"}, "state/secret.go"},
		{in{"pattern": `caps/\[x\]/*`}, "caps/[x]/bracketed.go"},
		{in{"pattern": "[a]*.go"}, "a-b.go a.go"},
		{in{"pattern": outside + "/**/*.go"}, outside + "/deep/p.go " + outside + "/o.go"},
		{in{"pattern": "none/**/*.go"}, ""},
		{in{"pattern": "*.rs"}, ""},
	}
	for _, test := range tests {
		got := runTool(t, w, Glob(), test.in)
		want := "no files match"
		if test.want != "" {
			want = strings.ReplaceAll(test.want, " ", "\n") + "\n"
		}
		if got.IsError || got.Text != want {
			t.Errorf("%v:\ngot  %q\nwant %q", test.in, got.Text, want)
		}
	}
}

func TestGlobRefuses(t *testing.T) {
	w := workspacetest.New(t, searchTree)
	for pattern, want := range map[string]string{
		"":            "not valid",
		"[a":          "not valid",
		"{a,b":        "not valid",
		"*/../x":      `".." can only stand`,
		"{../x,y}/*":  `".." can only stand`,
		"a.go/*":      "cannot search a.go",
		"\x00/*":      "NUL",
		"../x\x00y/*": "NUL",
	} {
		got := runTool(t, w, Glob(), in{"pattern": pattern})
		if !got.IsError || !strings.Contains(got.Text, want) {
			t.Errorf("%q: got %+v", pattern, got)
		}
	}
	got := runTool(t, w, Glob(), in{"pattern": "*", "path": "subs"})
	if !got.IsError || got.Text != "cannot search subs: it does not exist; the same folder has sub" {
		t.Errorf("got %+v", got)
	}
}

func TestGlobIsCapped(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	files := map[string]string{}
	for i := range 1234 {
		files[fmt.Sprintf("%02d/%04d", i%30, i)] = ""
	}
	w := workspacetest.New(t, files)
	got := runTool(t, w, Glob(), in{"pattern": "**"})
	lines := strings.Split(got.Text, "\n")
	if len(lines) != 1002 || lines[0] != "00/0000" || lines[1000] != "[1000 of 1234 files shown: narrow the pattern]" {
		t.Errorf("%d lines: %s … %s", len(lines), lines[0], lines[len(lines)-2])
	}
	if again := runTool(t, w, Glob(), in{"pattern": "**"}); again.Text != got.Text {
		t.Error("the second search has another result")
	}
}

func TestSearchIsCancelled(t *testing.T) {
	w := workspacetest.New(t, searchTree)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range []Tool{Glob(), Grep()} {
		call, err := prepareTool(t, w, tool, in{"pattern": "needle"})
		if err != nil {
			t.Fatal(err)
		}
		if got := call.Run(ctx, Hooks{}); got.IsError || got.Text != "[interrupted: there may be more]\n" {
			t.Errorf("%s: got %+v", tool.Name(), got)
		}
	}
}
