package pisces

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// files returns an expander of files in memory.
func files(all map[string]string) expander {
	disk := fstest.MapFS{}
	for name, text := range all {
		disk[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return expander{
		folders: []string{"project", "agent"},
		read:    func(path string) ([]byte, error) { return fs.ReadFile(disk, path) },
		list: func(folder string) (names []string, err error) {
			found, err := fs.ReadDir(disk, folder)
			for _, f := range found {
				names = append(names, f.Name())
			}
			return names, err
		},
	}
}

func TestExpand(t *testing.T) {
	x := files(map[string]string{
		"project/commands/fix.md":  "---\ndescription: Fixes\n---\nFix $1 in $2, all: $@ ($ARGUMENTS), $3 and $0, US$ 5$$1",
		"agent/commands/fix.md":    "another",
		"agent/commands/only.md":   "Agent",
		"project/prompts/only.md":  "Prompt",
		"agent/prompts/review.md":  "\r\nReview\r\n$1",
		"project/secret.md":        "secret",
		"project/commands/.x.md":   "hidden",
		"project/commands/bare.md": "---\nno end",
	})
	for prompt, want := range map[string]string{
		"hello":                     "hello",
		"":                          "",
		"/fix":                      "Fix  in , all:  (),  and , US$ 5$",
		`/fix bug "the cart" x`:     "Fix bug in the cart, all: bug the cart x (bug the cart x), x and , US$ 5$bug",
		"/fix '$2' b":               "Fix $2 in b, all: $2 b ($2 b),  and , US$ 5$$2",
		"/fix\ta\n\"b c":            "Fix a in b c, all: a b c (a b c),  and , US$ 5$a",
		"/only me":                  "Agent",
		"/review it":                "Review\nit",
		"/unknown x":                "/unknown x",
		"/":                         "/",
		"/ fix":                     "/ fix",
		"/../secret":                "/../secret",
		"/commands/fix":             "/commands/fix",
		"/.x":                       "/.x",
		" /fix":                     " /fix",
		"/bare":                     "---\nno end",
		"/home/ana/shop is broken":  "/home/ana/shop is broken",
		"/fix\x00":                  "/fix\x00",
		strings.Repeat("/", 10_000): strings.Repeat("/", 10_000),
	} {
		if got := x.expand(prompt); got != want {
			t.Errorf("%.50q: got %q, want %q", prompt, got, want)
		}
	}
	want := []SlashCommand{{"bare", "---", "prompt"}, {"fix", "Fixes", "prompt"}, {"only", "Agent", "prompt"}, {"review", "Review", "prompt"}}
	if diff := cmp.Diff(want, x.commands()); diff != "" {
		t.Error(diff)
	}
}

func TestMentions(t *testing.T) {
	disk := map[string]string{
		"cart.go": "package cart\n", "a b.txt": "one", "empty": "", "binary": "a\x00b", "bad": "a\xffb", "i.PNG": "pixels", "dir": "",
		"big.txt": strings.Repeat("x", largestMention+1), "grown.txt": strings.Repeat("x", largestMention+1), "full.txt": strings.Repeat("x", largestMention),
	}
	f := mentioner(func(path string) (mentioned, error) {
		text, ok := disk[path]
		switch {
		case !ok, path == "dir":
			return mentioned{}, errors.New("there is no such file")
		case path == "empty":
			return mentioned{io.NopCloser(iotest.ErrReader(errors.New("it may not be read"))), 0, true}, nil
		case path == "grown.txt":
			return mentioned{io.NopCloser(strings.NewReader(text)), 1, true}, nil
		}
		return mentioned{io.NopCloser(strings.NewReader(text)), int64(len(text)), !strings.HasPrefix(path, "/")}, nil
	})
	for _, test := range []struct{ prompt, want string }{
		{"look at @cart.go.", `[{"path":"cart.go","content":"package cart\n","lineCount":2,"byteSize":13}]`},
		{"@cart.go and (@cart.go), @none", `[{"path":"cart.go","content":"package cart\n","lineCount":2,"byteSize":13}]`},
		{`@"a b.txt", @'cart.go'`, `[{"path":"a b.txt","content":"one","lineCount":1,"byteSize":3},{"path":"cart.go","content":"package cart\n","lineCount":2,"byteSize":13}]`},
		{"@i.PNG!", `[{"path":"i.PNG","content":"","byteSize":6,"image":{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}}]`},
		{"@big.txt", `[{"path":"big.txt","content":"","byteSize":262145,"skippedReason":"tooLarge"}]`},
		{"@grown.txt", `[{"path":"grown.txt","content":"","byteSize":262145,"skippedReason":"tooLarge"}]`},
		{"@bad", `[{"path":"bad","content":"a�b","lineCount":1,"byteSize":3}]`},
		{"ana@cart.go @dir @empty @binary @ @@cart.go \u00e0@cart.go", `[]`},
		{"\u00a0@cart.go\u2003x", `[{"path":"cart.go","content":"package cart\n","lineCount":2,"byteSize":13}]`},
		{`@"a b.txt`, `[]`},
	} {
		m, found := f.mentions(test.prompt, test.prompt, 5)
		if got := string(rawjson.Marshal(m.Files)); got != test.want || found != (test.want != "[]") || m.Timestamp != 5 {
			t.Errorf("%q: got %s, want %s", test.prompt, got, test.want)
		}
	}
	m, _ := f.mentions("@full.txt", "", 0)
	if len(m.Files[0].Content) != largestMention {
		t.Errorf("a file of just the limit is %d bytes", len(m.Files[0].Content))
	}
	var all strings.Builder
	for i := range mostMentions + 10 {
		name := strings.Repeat("n", i+1)
		disk[name] = "x"
		all.WriteString("@" + name + " ")
	}
	if m, _ := f.mentions(all.String(), "", 0); len(m.Files) != mostMentions {
		t.Errorf("%d files are mentioned", len(m.Files))
	}
}

// What the user types may name any file, the text of a command only files of the project.
func TestMentionsOfCommands(t *testing.T) {
	f := mentioner(func(path string) (mentioned, error) {
		return mentioned{io.NopCloser(strings.NewReader("x")), 1, !strings.HasPrefix(path, "/")}, nil
	})
	for _, test := range []struct {
		typed, expanded string
		want            []string
	}{
		{"see @/home/u/notes.md", "see @/home/u/notes.md", []string{"/home/u/notes.md"}},
		{"/review", "Review.\n@/home/u/.ssh/id_ed25519 @docs/style.md", []string{"docs/style.md"}},
		{"/review @/home/u/notes.md", "Review @/home/u/notes.md as in @docs/style.md and @/etc/passwd", []string{"/home/u/notes.md", "docs/style.md"}},
	} {
		m, _ := f.mentions(test.typed, test.expanded, 0)
		var got []string
		for _, file := range m.Files {
			got = append(got, file.Path)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: files (-want +got):\n%s", test.typed, diff)
		}
	}
}

// FuzzExpand: no prompt and no text of a file breaks anything, and what is no name of a file
// stays as it was.
func FuzzExpand(f *testing.F) {
	f.Add("/fix a 'b", "---\nx: 1\n---\n$1 $ARGUMENTS $")
	f.Add("see @a/b.go, @\"c d\"", "$")
	f.Fuzz(func(t *testing.T, prompt, text string) {
		x := files(map[string]string{"project/commands/fix.md": text})
		got := x.expand(prompt)
		if name, _, _ := slashed(prompt); name != "fix" && got != prompt {
			t.Errorf("%q became %q", prompt, got)
		}
		x.commands()
		for _, path := range mentionedPaths(prompt) {
			if !strings.Contains(prompt, path) || path == "" {
				t.Errorf("%q mentions %q", prompt, path)
			}
		}
	})
}
