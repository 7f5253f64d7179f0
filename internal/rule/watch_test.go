package rule

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// parse returns a rule with that head.
func parse(t testing.TB, head string) *Rule {
	t.Helper()
	r, errs := Parse("r.md", "---\n"+head+"\n---\n")
	if len(errs) > 0 || !r.Watched() {
		t.Fatalf("%q: %v", head, errs)
	}
	return r
}

func TestWatch(t *testing.T) {
	const edit, write = "edit", "write"
	type piece struct {
		at   Source
		tool string
		text string
	}
	say := func(pieces ...string) (all []piece) {
		for _, p := range pieces {
			all = append(all, piece{Text, "", p})
		}
		return all
	}
	in := func(tool string, pieces ...string) (all []piece) {
		for _, p := range pieces {
			all = append(all, piece{Tool, tool, p})
		}
		return all
	}
	long := strings.Repeat("x", 10*span)
	for _, test := range []struct {
		name, head string
		pieces     []piece
		at         int // the piece that breaks the rule; -1: none does
	}{
		{"text", `condition: console\.log`, say("I add ", "console", ".lo", "g here", "console.log"), 3},
		{"not at all", `condition: console\.log`, say("consolexlog"), -1},
		{"thoughts are free", `condition: bad`, []piece{{Thinking, "", "bad"}}, -1},
		{"unless they are the scope", "condition: bad\nscope: thinking", []piece{{Thinking, "", "bad"}}, 0},
		{"texts are free where only thoughts count", "condition: bad\nscope: thinking", say("bad"), -1},
		{"input as it is written", `condition: '"command":\s*"rm '`, in("bash", `{"command"`, `: "rm -r x"}`), 1},
		{"input as it means", `condition: 'say\("hi"\)'`, in(edit, `{"path":"a.go","content":"say(\`, `"hi\`, `")"}`), 2},
		{"names of members", `condition: ^content$`, in(edit, `{"content":"x"}`), -1},
		{"a tool", "condition: bad\nscope: 'tool:edit'", in(write, `{"content":"bad"}`), -1},
		{"that tool", "condition: bad\nscope: 'tool:edit'", in(edit, `{"content":"bad"}`), 0},
		{"its files", "condition: bad\nscope: 'tool:edit(*.ts)'", in(edit, `{"path":"src/a.ts","content":"b`, `ad"}`), 1},
		{"not other files", "condition: bad\nscope: 'tool:edit(*.ts)'", in(edit, `{"path":"src/a.go","content":"bad"}`), -1},
		{"files that come late", "condition: bad\nscope: 'tool(*.ts)'", in(edit, `{"content":"bad",`, `"file_path":"/w/a.ts"`, `}`), 1},
		{"inner paths are none", "condition: bad\nscope: 'tool(*.ts)'", in(edit, `{"edits":[{"path":"a.ts","new":"bad"}]}`), -1},
		{"globs", "condition: bad\nglobs: 'src/**'", in(edit, `{"path":"./src/a/b.go","content":"bad"}`), 0},
		{"globs elsewhere", "condition: bad\nglobs: 'src/**'", in(edit, `{"path":"lib/b.go","content":"bad"}`), -1},
		{"globs are about files", "condition: bad\nglobs: 'src/**'", say("bad"), -1},
		{"files alone", "condition: '*.rs'", in(write, `{"path":"a.rs"`, `}`), 0},
		{"files alone, other", "condition: '*.rs'", in(write, `{"path":"a.go"`, `}`), -1},
		{"the beginning", `condition: ^bad`, say("so ", "bad"), -1},
		{"the beginning of what was long", `condition: ^x+$`, say(long+"y", long, "x"), -1},
		{"the beginning of a line of it", `condition: (?m)^bad`, say(long+"\nso bad\n", long, "\nb", "ad"), 3},
		{"far after", `condition: bad word`, say(long, long, "bad", " word"), 3},
		{"across blocks", `condition: bad word`, []piece{{Text, "", "bad"}, {Thinking, "", " word"}}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := NewWatch([]*Rule{parse(t, test.head), {}})
			found := -1
			for i, p := range test.pieces {
				var broken []*Rule
				if p.at == Tool {
					name := p.tool
					if i > 0 {
						name = ""
					}
					broken = w.Input(3, name, p.text)
				} else {
					broken = w.Text(p.at, 0, p.text)
				}
				if len(broken) > 0 && found >= 0 {
					t.Error("found twice")
				}
				if len(broken) > 0 {
					found = i
				}
			}
			if found != test.at {
				t.Errorf("found at %d, want %d", found, test.at)
			}
		})
	}
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		glob, file string
		want       bool
	}{
		{"*.ts", "/home/a/src/x.ts", true},
		{"*.ts", "x.ts.go", false},
		{"src/*.ts", "/home/a/src/x.ts", true},
		{"src/*.ts", "/home/a/src/y/x.ts", false},
		{"src/**/*.{ts,tsx}", "src/y/x.tsx", true},
		{"./src/*", "src/x", true},
		{"/home/a/*", "/home/a/x", true},
		{"a", "b", false},
	} {
		if got := matches(test.glob, test.file); got != test.want {
			t.Errorf("%s, %s: %v", test.glob, test.file, got)
		}
	}
}

// TestTail: what is kept ends as the whole does, is bounded, and has at least a span.
func TestTail(t *testing.T) {
	for _, unit := range []string{"é", "word ", "line\n", strings.Repeat("z", span) + "\n"} {
		var kept tail
		whole := ""
		for range 5 * span / len(unit) {
			whole += unit
			kept.add(unit)
			if !strings.HasSuffix(whole, kept.text) || !utf8.ValidString(kept.text) || len(kept.text) > 2*span+2*len(unit) ||
				len(kept.text) < min(len(whole), span) || kept.cut != (len(kept.text) < len(whole)) {
				t.Fatalf("%q: %d of %d bytes, cut %v", unit[:1], len(kept.text), len(whole), kept.cut)
			}
		}
	}
}

// textsOf returns the texts of a JSON value, and the file that it names.
func textsOf(value jsontext.Value) (texts, file string) {
	dec := jsontext.NewDecoder(strings.NewReader(string(value)), jsontext.AllowDuplicateNames(true))
	member := ""
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return texts, file
		}
		if token.Kind() != '"' {
			continue
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if kind == '{' && n%2 == 1 {
			if dec.StackDepth() == 1 {
				member = token.String()
			}
			continue
		}
		texts += token.String() + "\n"
		for _, name := range fileMembers {
			if kind == '{' && dec.StackDepth() == 1 && file == "" && member == name {
				file = token.String()
			}
		}
	}
}

// FuzzInput: however an input is divided, its texts and its file are those of the whole.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a\\b\"c.go","content":"x\u00e9\ud83d\ude00\n"}`, `{"a":["path",{"path":"no"},"x"],"b":{"c":"d"},"file":"f"}`, `{"path":5,"file_path":"g"}`, `["path","x"]`, `"`, `{"a`, `]]{"path":"x"`,
	} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(1, size%64)
		var in input
		var got strings.Builder
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			got.WriteString(in.add(rest[:n]))
			rest = rest[n:]
		}
		value := jsontext.Value(text)
		if !value.IsValid() {
			return
		}
		texts, file := textsOf(value)
		if got.String() != texts || in.file != file {
			t.Errorf("texts %q, file %q; want %q, %q", got.String(), in.file, texts, file)
		}
	})
}

// FuzzParse: no text breaks the reader, and what it says can be watched.
func FuzzParse(f *testing.F) {
	f.Add("---\ncondition: a\nscope: tool:edit(*.ts)\nglobs: '*'\n---\nx", "a")
	f.Add("---\ncondition: [*.rs, \"(\"]\nttsr_trigger: b\n---", "b")
	f.Add("---\n- {\n---", "")
	f.Fuzz(func(t *testing.T, text, said string) {
		r, errs := Parse("r.md", text)
		if !r.Watched() && len(r.Condition) > 0 && len(errs) == 0 {
			t.Errorf("%q has conditions, and is not watched", text)
		}
		w := NewWatch([]*Rule{r})
		w.Text(Text, 0, said)
		w.Input(1, "edit", `{"path":"a.rs","content":`+fmt.Sprint(base64.StdEncoding.EncodeToString([]byte(said))))
	})
}

// BenchmarkWatch: an answer of 100 kB in pieces of 20 bytes, with ten rules.
func BenchmarkWatch(b *testing.B) {
	var rules []*Rule
	for i := range 10 {
		rules = append(rules, parse(b, fmt.Sprintf(`condition: '(console|logger%d)\.log\(.*\)'`, i)))
	}
	piece := "some words of a text "
	for b.Loop() {
		w := NewWatch(rules)
		for range 5000 {
			w.Text(Text, 0, piece)
		}
	}
}
