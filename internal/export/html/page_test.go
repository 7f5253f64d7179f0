package html

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/html/htmltest"
	"parley.dev/parley/internal/highlight"
	"parley.dev/parley/internal/model"
)

var update = flag.Bool("update", false, "write the expected pages anew")

func write(t testing.TB, records []event.Record, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, htmltest.Seq(records), o); err != nil {
		t.Fatal(err)
	}
	for _, harm := range htmltest.Harm(b.Bytes()) {
		t.Error(harm)
	}
	return b.String()
}

// TestGolden holds a page with everything in it to testdata/session.html.
func TestGolden(t *testing.T) {
	got := write(t, htmltest.Session(), Options{Version: "1.2.3", Blob: htmltest.Blob, Facts: []Fact{{"Exported by", "Ada <ada@home.test>"}, {"Empty", ""}}})
	const file = "testdata/session.html"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the page is not %s: look at it and run the test with -update", file)
	}
}

// TestNastyPage puts every hostile text wherever a stranger's text can be: write looks for harm.
func TestNastyPage(t *testing.T) {
	got := write(t, htmltest.Nasty(), Options{Title: htmltest.Hostile[6], Version: htmltest.Hostile[13], Facts: []Fact{{htmltest.Hostile[0], htmltest.Hostile[13]}}})
	if n := strings.Count(got, htmltest.Marker); n < 50 {
		t.Errorf("the texts are on the page %d times only", n)
	}
}

// TestHostile is each hostile text by itself, so that one does not shield another.
func TestHostile(t *testing.T) {
	for i, text := range append(htmltest.Hostile, htmltest.Broken) {
		t.Run(fmt.Sprint(i), func(t *testing.T) { write(t, strangers(text), Options{}) })
	}
}

// strangers returns a session in which every message, call and result has text.
func strangers(text string) []event.Record {
	l := &htmltest.Log{}
	l.Prompt(model.TextBlock(text))
	l.Answer([]model.Block{htmltest.Thinking(text), model.TextBlock(text), htmltest.Call("c", "t", "path", text, "command", text, text, "x")},
		event.ToolEnded{Call: "c", Output: text, Changes: []event.FileChange{{Path: text, Diff: text}}, Search: &event.Search{Results: []event.SearchHit{{Title: text, URL: text}}}})
	for _, language := range slices.Compact(slices.Sorted(maps.Values(highlight.Languages))) {
		l.Answer([]model.Block{model.TextBlock("~~~~~~~~" + language + "\n" + text + "\n~~~~~~~~")})
	}
	l.End(event.TurnCompleted, nil)
	return l.Records
}

func FuzzPage(f *testing.F) {
	for _, text := range append(htmltest.Hostile, htmltest.Broken) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := &htmltest.Log{}
		l.Prompt(model.TextBlock(text))
		l.Answer([]model.Block{model.TextBlock(text), htmltest.Call("c", text, "path", text, "command", text)},
			event.ToolEnded{Call: "c", Output: text, Changes: []event.FileChange{{Path: text, Diff: text}}})
		l.Add(event.CommandRan{Shell: event.ShellRun{Command: text}, Output: text})
		write(t, l.Records, Options{Title: text})
	})
}

// TestLeftBehind is about the branches of a history: what does not lead to its head is folded.
func TestLeftBehind(t *testing.T) {
	for _, test := range []struct {
		name   string
		script string // a letter is a message; <a goes back to after message a, <0 to the beginning
		want   string // [3 …] is three messages, folded
	}{
		{"straight", "ab", "ab"},
		{"one step back", "abc<bd", "ab[1c]d"},
		{"to the beginning", "ab<0c", "[2ab]c"},
		{"twice", "abc<bd<ae", "a[3bcd]e"},
		{"back to a branch that was left", "abcd<be<df", "abcd[1e]f"},
		{"between two branches", "ab<ac<bd<ce", "a[1b]c[1d]e"},
		{"at the end", "abc<a", "a[2bc]"},
		{"nothing left behind", "ab<bc", "abc"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, seqs := &htmltest.Log{}, map[byte]uint64{}
			for i := 0; i < len(test.script); i++ {
				if c := test.script[i]; c == '<' {
					i++
					l.Add(event.Branched{Head: seqs[test.script[i]]})
				} else {
					seqs[c] = l.Prompt(model.TextBlock("message " + string(c)))
					l.End(event.TurnCompleted, nil)
				}
			}
			_, page, _ := strings.Cut(write(t, l.Records, Options{}), "<main")
			got := ""
			for line := range strings.Lines(page) {
				if _, rest, ok := strings.Cut(line, "Left behind: "); ok {
					got += "[" + rest[:1]
				}
				if _, rest, ok := strings.Cut(line, ">message "); ok {
					got += rest[:1]
				}
				if strings.HasPrefix(line, "</details>") {
					got += "]"
				}
			}
			if got != test.want {
				t.Errorf("%s is shown as %s, want %s", test.script, got, test.want)
			}
		})
	}
}

// TestContents leaves prompts out that were left behind.
func TestContents(t *testing.T) {
	l := &htmltest.Log{}
	l.Prompt(model.TextBlock("one"))
	two := l.Prompt(model.TextBlock("two\nlines"))
	l.Prompt(model.TextBlock("left"))
	l.Add(event.Branched{Head: two})
	l.Prompt(model.TextBlock(strings.Repeat("long ", 100)))
	page := write(t, l.Records, Options{})
	for _, want := range []string{"<summary>3 prompts</summary>", `<a href="#r4">two lines</a>`, "long…</a>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, ">left</a>") {
		t.Error("a prompt that was left behind is in the contents")
	}
}

// TestCallsInOrder shows calls as the model wrote them, in whatever order they end, and those
// that never ran.
func TestCallsInOrder(t *testing.T) {
	l := &htmltest.Log{}
	l.Prompt(model.TextBlock("go"))
	l.Answer([]model.Block{htmltest.Call("a", "first"), htmltest.Call("b", "second"), htmltest.Call("c", "third"), htmltest.Call("d", "fourth")},
		event.ToolEnded{Call: "c", Outcome: event.Succeeded, Output: "out-c"}, event.ToolEnded{Call: "a", Outcome: event.Failed, Output: "out-a"})
	l.End(event.TurnInterrupted, nil)
	page := write(t, l.Records, Options{})
	at := 0
	for _, want := range []string{">first<", "failed", "out-a", ">second<", "no end recorded", ">third<", "out-c", ">fourth<", "not run", "Interrupted"} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Fatalf("no %q after the one before in\n%s", want, page)
		}
		at += i
	}
}

func TestImages(t *testing.T) {
	show := func(img model.Image, o Options) string {
		l := &htmltest.Log{}
		l.Prompt(model.Block{Kind: model.KindImage, Image: &img})
		return write(t, l.Records, o)
	}
	if page := show(model.Image{MIME: "image/png", Blob: "picture"}, Options{Blob: htmltest.Blob}); !strings.Contains(page, `<img src="data:image/png;base64,iVBOR`) {
		t.Error("an image in a blob is not shown")
	}
	for _, img := range []model.Image{{MIME: "image/png", Blob: "lost", Name: "a.png"}, {MIME: "image/svg+xml", Data: []byte("<svg/>"), Name: "a.png"}} {
		if page := show(img, Options{Blob: htmltest.Blob}); strings.Contains(page, "<img") || !strings.Contains(page, "The image a.png") {
			t.Errorf("%v: it is not said that the image is missing", img)
		}
	}
	if page := show(model.Image{URL: "https://host.test/a.png"}, Options{}); strings.Contains(page, "<img") || !strings.Contains(page, `href="https://host.test/a.png"`) {
		t.Error("an image on the net is not a link")
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("the journal is damaged")
	for _, round := range []int{1, 2} {
		n := 0
		records := func(yield func(event.Record, error) bool) {
			if n++; n == round {
				yield(event.Record{}, broken)
				return
			}
			htmltest.Seq(htmltest.Session())(yield)
		}
		var b bytes.Buffer
		if err := Write(&b, records, Options{}); !errors.Is(err, broken) {
			t.Errorf("round %d: %v", round, err)
		}
		if round == 1 && b.Len() > 0 {
			t.Error("half a page was written of what cannot be read")
		}
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if err := Write(w, htmltest.Seq(htmltest.Nasty()), Options{}); !errors.Is(err, broken) {
		t.Errorf("a page whose reader is gone: %v", err)
	}
}

// TestSessionGrows writes a session that a running process adds to.
func TestSessionGrows(t *testing.T) {
	all, round := htmltest.Session(), 0
	records := func(yield func(event.Record, error) bool) {
		round++
		htmltest.Seq(all[:len(all)/2*round])(yield)
	}
	var got bytes.Buffer
	if err := Write(&got, records, Options{}); err != nil {
		t.Fatal(err)
	}
	if want := write(t, all[:len(all)/2], Options{}); got.String() != want {
		t.Error("the page is not that of the session as it was at first")
	}
}

// long returns a session of n turns with 32 KiB of output each.
func long(n int) iter.Seq2[event.Record, error] {
	output := strings.Repeat("a <line> of output that is like many others\n", 32<<10/44)
	return func(yield func(event.Record, error) bool) {
		seq := uint64(0)
		for i := range n {
			l := &htmltest.Log{}
			l.Prompt(model.TextBlock("go on"))
			id := fmt.Sprint("c", i)
			l.Answer([]model.Block{model.TextBlock("I **go** on."), htmltest.Call(id, "bash", "command", "make")}, event.ToolEnded{Call: event.CallID(id), Output: output})
			l.End(event.TurnCompleted, nil)
			for _, rec := range l.Records {
				seq++
				rec.Seq = seq
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}

// TestMemory writes 32 MiB of session and looks at the heap meanwhile.
func TestMemory(t *testing.T) {
	const turns = 1000
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most, n := uint64(0), 0
	records := func(yield func(event.Record, error) bool) {
		for rec, err := range long(turns) {
			if n++; n%1000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
			if !yield(rec, err) {
				return
			}
		}
	}
	if err := Write(io.Discard, records, Options{}); err != nil {
		t.Fatal(err)
	}
	if held := int64(most) - int64(before.HeapAlloc); held > 8<<20 {
		t.Errorf("%d MiB are held in memory", held>>20)
	}
}

func BenchmarkWrite(b *testing.B) {
	const turns = 200
	b.SetBytes(turns * 32 << 10)
	for b.Loop() {
		if err := Write(io.Discard, long(turns), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestBudget: a limit that is near, and one that has ended a turn, are described in plain words.
func TestBudget(t *testing.T) {
	l := &htmltest.Log{Records: htmltest.Session()}
	l.Prompt(model.TextBlock("More."))
	l.Add(event.BudgetWarned{Scope: event.BudgetOfSession, Text: "The budget is nearly used up: 4 of 5 tool calls."})
	l.Add(event.BudgetExceeded{Scope: event.BudgetOfSession, Text: "The budget is used up: 5 of 5 tool calls."})
	l.End(event.TurnBudget, &event.Failure{Kind: "budget", Message: "the budget is used up: 5 of 5 tool calls"})
	var page strings.Builder
	if err := Write(&page, htmltest.Seq(l.Records), Options{Blob: htmltest.Blob}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"nearly used up: 4 of 5 tool calls.", "The budget is used up: 5 of 5 tool calls.", "Stopped at the end of the budget"} {
		if strings.Count(page.String(), want) != 1 {
			t.Errorf("%q is there %d times", want, strings.Count(page.String(), want))
		}
	}
}
