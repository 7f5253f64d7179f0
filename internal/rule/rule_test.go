package rule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func errText(errs []error) string {
	var all []string
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return strings.Join(all, "\n")
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       Rule // without Name and Path
		watched    bool
		errs       string // beginning of each
	}{
		{"a plain text", "Be brief.\n", Rule{Content: "Be brief."}, false, ""},
		{"all there is", "---\ndescription: No\n  console\nglobs: [\"*.ts\", 'src/**']\nalwaysApply: true\ncondition: console\\.log\nscope: text, tool:edit(*.{ts,tsx})\ninterruptMode: never\n---\n\nUse it.\n", Rule{
			Content: "Use it.", Description: "No console", Globs: []string{"*.ts", "src/**"}, Always: true, Condition: []string{`console\.log`},
			Scope: []string{"text", "tool:edit(*.{ts,tsx})"}, Interrupt: Never,
		}, true, ""},
		{"commas in an expression", "---\ncondition: a{1,2}\n---\n", Rule{Condition: []string{"a{1,2}"}}, true, ""},
		{"several", "---\ncondition: [a, b]\nscope: [thinking]\n---\n", Rule{Condition: []string{"a", "b"}, Scope: []string{"thinking"}}, true, ""},
		{"the old name", "---\nttsr_trigger: a\n---\n", Rule{Condition: []string{"a"}}, true, ""},
		{"the older name", "---\nttsrTrigger: a\n---\n", Rule{Condition: []string{"a"}}, true, ""},
		{"files alone", "---\ncondition: \"*.rs\"\n---\n", Rule{Condition: []string{".*"}, Scope: []string{"tool:edit(*.rs)", "tool:write(*.rs)"}}, true, ""},
		{"files without quotes", "---\nglobs: *.ts, *.js\ncondition:\n  - *.rs\n  - unsafe\n---\nx", Rule{
			Content: "x", Globs: []string{"*.ts", "*.js"}, Condition: []string{"unsafe"}, Scope: []string{"tool:edit(*.rs)", "tool:write(*.rs)"},
		}, true, ""},
		{"no front matter without an end", "---\ncondition: a\n", Rule{Content: "---\ncondition: a"}, false, ""},
		{"windows", "\uFEFF---\r\ndescription: d\r\n---\r\nx\r\n", Rule{Description: "d", Content: "x"}, false, ""},
		{"a bad head", "---\n\t{\n---\nx", Rule{Content: "x"}, false, "its front matter is not valid"},
		{"other types", "---\ndescription: 5\nalwaysApply: \"yes\"\nglobs: {a: b}\ncondition: [1, \"\", \" a \"]\n---\nx", Rule{Content: "x", Condition: []string{"a"}}, true, ""},
		{"a bad expression", "---\ncondition: [\"a(\", b]\n---\n", Rule{Condition: []string{"b"}}, true, `condition "a(" cannot be used`},
		{"only a bad expression", "---\ncondition: (?=a)\n---\n", Rule{}, false, `condition "(?=a)" cannot be used`},
		{
			"a bad scope", "---\ncondition: a\nscope: [\"text:x\", \"tool:\", \"tool:edit(\", \"tool()\", \"all\", text]\n---\n",
			Rule{Condition: []string{"a"}, Scope: []string{"text:x", "tool:", "tool:edit(", "tool()", "all", "text"}},
			true,
			"scope \"text:x\" is none\nscope \"tool:\" is none\nscope \"tool:edit(\" has no glob\nscope \"tool()\" has no glob\nscope \"all\" is none",
		},
		{"only a bad scope", "---\ncondition: a\nscope: all\n---\n", Rule{Condition: []string{"a"}, Scope: []string{"all"}}, false, `scope "all" is none`},
		{"a bad mode", "---\ninterruptMode: maybe\n---\n", Rule{}, false, `interruptMode "maybe" is none`},
		{"a bad glob", "---\nglobs: \"[a\"\n---\n", Rule{Globs: []string{"[a"}}, false, `glob "[a" is none`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, errs := Parse("/x/no-console.mdc", test.text)
			test.want.Name, test.want.Path = "no-console", "/x/no-console.mdc"
			if diff := cmp.Diff(&test.want, r, cmpopts.IgnoreUnexported(Rule{})); diff != "" {
				t.Error(diff)
			}
			if r.Watched() != test.watched {
				t.Errorf("watched: %v", r.Watched())
			}
			got, want := strings.Split(errText(errs), "\n"), strings.Split(test.errs, "\n")
			for i := range want {
				if len(got) != len(want) || !strings.HasPrefix(got[i], want[i]) || want[i] == "" && got[i] != "" {
					t.Fatalf("errors %q", got)
				}
			}
		})
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/two.md": "2", "a/one.mdc": "1", "a/notes.txt": "no", "b/one.md": "later", "b/bad.md": "---\n{\n---\nbad", "b/long.md": strings.Repeat("x", maxFile+1),
		"b/folder.md/x": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"a/linked.md": "one.mdc", "a/stolen.md": "notes.txt", "a/gone.md": "nowhere.md"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	rules, errs := Find([]string{filepath.Join(dir, "a"), filepath.Join(dir, "gone"), filepath.Join(dir, "b")})
	var got []string
	for _, r := range rules {
		got = append(got, r.Name+"="+r.Content)
	}
	if diff := cmp.Diff([]string{"linked=1", "one=1", "two=2", "bad=bad"}, got); diff != "" {
		t.Error(diff)
	}
	text := errText(errs)
	for _, want := range []string{"bad.md: its front matter", "folder.md: it is not a regular file", "long.md is longer than", "stolen.md leads to what is no rule", "nowhere.md: no such file"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if len(errs) != 5 {
		t.Errorf("%d errors: %s", len(errs), text)
	}
}

func TestSelect(t *testing.T) {
	rules := map[string]string{
		"always": "---\nalwaysApply: true\ndescription: d\n---\n", "listed": "---\ndescription: d\n---\n", "watched": "---\nalwaysApply: true\ncondition: a\n---\n", "silent": "x",
	}
	for name, text := range rules {
		r, _ := Parse(name, text)
		always, listed, watched := Select([]*Rule{r})
		got := map[string]int{"always": len(always), "listed": len(listed), "watched": len(watched)}
		for kind, n := range got {
			if (n == 1) != (kind == name) {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}

func TestCuts(t *testing.T) {
	for mode, want := range map[Mode][3]bool{Always: {true, true, true}, Prose: {true, true, false}, Tools: {false, false, true}, Never: {}} {
		for i, at := range []Source{Text, Thinking, Tool} {
			if got := (&Rule{}).Cuts(at, mode); got != want[i] {
				t.Errorf("%s at %s: %v", mode, at, got)
			}
			if got := (&Rule{Interrupt: mode}).Cuts(at, Never); got != want[i] {
				t.Errorf("%s of the rule at %s: %v", mode, at, got)
			}
		}
	}
}
