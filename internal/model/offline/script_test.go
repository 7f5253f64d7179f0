package offline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// line returns one element of a stream on one line.
func line(d model.Delta, err error) string {
	if err != nil {
		return "error " + err.Error()
	}
	switch d.Kind {
	case model.TextDelta:
		return fmt.Sprintf("%d text %q", d.Block, d.Text)
	case model.ThinkingDelta:
		if d.Summary {
			return fmt.Sprintf("%d summary %q", d.Block, d.Text)
		}
		return fmt.Sprintf("%d think %q", d.Block, d.Text)
	case model.ToolCallStart:
		return fmt.Sprintf("%d call %s %s", d.Block, d.CallID, d.Name)
	case model.ToolInputDelta:
		return fmt.Sprintf("%d input %s", d.Block, d.Text)
	case model.Done:
		u := d.Response.Usage
		return fmt.Sprintf("done %s %d/%d", d.Response.Stop, u.Input, u.Output)
	}
	return "unknown"
}

// listen returns all elements of one model call.
func listen(ctx context.Context, p model.Provider, req *model.Request) []string {
	var lines []string
	for d, err := range p.Stream(ctx, req) {
		lines = append(lines, line(d, err))
	}
	return lines
}

func parse(t *testing.T, text string) *Script {
	t.Helper()
	s, err := Parse("test.script", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPlay(t *testing.T) {
	tests := []struct {
		name, script string
		answers      [][]string
	}{
		{"empty", "# nothing\n\n", nil},
		{"text", "text Hallo\ntext  daar!\n", [][]string{{`0 text "Hallo"`, `0 text " daar!"`, "done end 1/3"}}},
		{"quoted", `text "two\nlines"`, [][]string{{`0 text "two\nlines"`, "done end 1/3"}}},
		{"windows line ends", "text a\r\ntext b\r\n", [][]string{{`0 text "a"`, `0 text "b"`, "done end 1/1"}}},
		{"blocks", "think hm\nthink  so\ntext yes\nthink no", [][]string{{`0 think "hm"`, `0 think " so"`, `1 text "yes"`, `2 think "no"`, "done end 1/3"}}},
		{"summaries", "summary a\nrepeat 2 summary b\nthink c\nsummary d\ncall x\nnext\nsummary e", [][]string{
			{`0 summary "a"`, `0 summary "b"`, `0 summary "b"`, `1 think "c"`, `2 summary "d"`, "3 call call_1 x", "3 input {}", "done tools 1/2"}, {`0 summary "e"`, "done end 1/1"},
		}},
		{"call, then text", "call bash {\"command\":\"rm -r build\"}\ntext Done.", [][]string{
			{"0 call call_1 bash", `0 input {"command":"rm -r build"`, "0 input }", "done tools 1/8"}, {`0 text "Done."`, "done end 1/2"},
		}},
		{"calls side by side", "text Both\ncall a\ncall@x b {}\nusage in=7 out=9 cache_read=1\ncall c", [][]string{
			{`0 text "Both"`, "1 call call_1 a", "1 input {}", "2 call x b", "2 input {}", "3 call call_3 c", "3 input {}", "done tools 7/9"},
		}},
		{"input that is not JSON", `call a "{\"cut"`, [][]string{{"0 call call_1 a", `0 input {"cut`, "done tools 1/3"}}},
		{"input cut between runes", `call a {"xxxxxxxxxxxxxxxxxxxxxä":1}`, [][]string{
			{"0 call call_1 a", `0 input {"xxxxxxxxxxxxxxxxxxxxxä`, `0 input ":1}`, "done tools 1/8"},
		}},
		{"next", "text a\nnext\ntext b\nusage in=1 out=2\nnext\n", [][]string{{`0 text "a"`, "done end 1/1"}, {`0 text "b"`, "done end 1/2"}}},
		{"stop", "text a\nstop max_tokens\nusage in=3\ntext b\nstop refused\nstop end", [][]string{
			{`0 text "a"`, "done max_tokens 3/0"}, {`0 text "b"`, "done refused 1/1"}, {"done end 1/0"},
		}},
		{"repeat", `repeat 3 text "x "`, [][]string{{`0 text "x "`, `0 text "x "`, `0 text "x "`, "done end 1/2"}}},
		{"failures", "text The file \nfail overloaded status=502 code=BACKEND_ERROR upstream is=down\nfail quota\nnext\ntext ok", [][]string{
			{`0 text "The file "`, "error BACKEND_ERROR (HTTP 502): upstream is=down"}, {"error the offline script fails here"}, {`0 text "ok"`, "done end 1/1"},
		}},
		{"expect met", "expect ^h.$\ntext yes", [][]string{{`0 text "yes"`, "done end 1/1"}}},
		{"expect unmet", "\nexpect bye\ntext yes", [][]string{{`error unexpected_request: test.script:2: expected a message that matches bye, got "hi"`}}},
		{"when met", "when ^h.$\ntext yes", [][]string{{`0 text "yes"`, "done end 1/1"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := parse(t, test.script)
			if len(s.answers) != len(test.answers) {
				t.Errorf("%d answers, want %d", len(s.answers), len(test.answers))
			}
			p := s.Provider()
			req := &model.Request{Messages: []model.Message{model.UserText("hi")}}
			for i, want := range append(test.answers, []string{`0 text "The offline script has ended: it holds no further answer."`, "done end 1/15"}) {
				if diff := cmp.Diff(want, listen(t.Context(), p, req)); diff != "" {
					t.Errorf("answer %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ script, want string }{
		{"txt a", `s:1: unknown word "txt"`},
		{"text@1 a", `s:1: unknown word "text@1"`},
		{"# ok\n\ntext", "s:3: text: nothing to say"},
		{`text "open`, "s:1: text: a text that begins with a quote must be one Go string"},
		{`text "\xff"`, "s:1: text: the string is not valid UTF-8"},
		{"text \xff", "s:1: not valid UTF-8"},
		{"call", "s:1: call: no tool is named"},
		{"call@ a", "s:1: call@: no id"},
		{"call a [1]", "s:1: call: the input is not a JSON object"},
		{`call a {"a":1`, "s:1: call: the input is not a JSON object"},
		{"usage in=x", `s:1: usage: in="x" is not a count of tokens`},
		{"usage inn=1", `s:1: usage: "inn" is none of cache_read, cache_write, in, out, thinking`},
		{"stop now", `s:1: stop: "now" is none of`},
		{"fail badly", `s:1: fail: "badly" is none of`},
		{"fail auth status=x", `s:1: fail: status: "x" cannot be read`},
		{"wait long", `s:1: wait: "long" is not a duration`},
		{"hang on", "s:1: hang: it stands alone"},
		{"repeat 0 text a", `s:1: repeat: "0" is not a number from 1`},
		{"repeat 2 hang", `s:1: repeat: "hang" is none of text, think, summary`},
		{"expect", "s:1: expect: no regular expression"},
		{"expect (", "s:1: expect: error parsing regexp"},
		{"when", "s:1: when: no regular expression"},
		{"when (", "s:1: when: error parsing regexp"},
		{"text a\nwhen b", "s:2: when: it stands at the beginning of an answer"},
		{"next", "s:1: next: there is no answer to end"},
		{"text a\nnext\nnext", "s:3: next: there is no answer to end"},
		{"next one", "s:1: next: it stands alone"},
	}
	for _, test := range tests {
		_, err := Parse("s", []byte(test.script))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.script, err, test.want)
		}
	}
}

// TestWhen: a request skips answers for others, and those do not come again.
func TestWhen(t *testing.T) {
	p := parse(t, "text First.\nnext\nwhen sum up\nhang\nwhen ^two$\ntext Second.\nnext\ntext Third.").Provider()
	for _, test := range []struct{ prompt, want string }{
		{"one", `0 text "First."`}, {"two", `0 text "Second."`}, {"sum up", `0 text "Third."`},
	} {
		req := &model.Request{Messages: []model.Message{model.UserText(test.prompt)}}
		if got := listen(t.Context(), p, req); got[0] != test.want {
			t.Errorf("%s: %v, want %s", test.prompt, got, test.want)
		}
	}
}

func TestFail(t *testing.T) {
	p := parse(t, "fail rate_limited status=429 after=2s Slow down.").Provider()
	for _, err := range p.Stream(t.Context(), &model.Request{}) {
		e, ok := errors.AsType[*model.Error](err)
		if !ok || e.Kind != model.RateLimited || e.Status != 429 || e.RetryAfter != 2*time.Second || e.Message != "Slow down." {
			t.Errorf("%+v", err)
		}
	}
}

func TestExpectToolResults(t *testing.T) {
	result := func(id, text string) model.Block {
		return model.Block{Kind: model.KindToolResult, Result: &model.Result{CallID: id, Text: text}}
	}
	req := &model.Request{Messages: []model.Message{
		model.UserText("hi"), {Role: model.Tool, Blocks: []model.Block{result("1", "one"), result("2", "two")}},
	}}
	if got := listen(t.Context(), parse(t, "expect ^one\\ntwo$\ntext ok").Provider(), req); got[0] != `0 text "ok"` {
		t.Errorf("%v", got)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.script")
	if _, err := Load(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), path+":1: ") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(path, []byte("text a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(path); err != nil || len(s.answers) != 1 {
		t.Errorf("%v, %v", s, err)
	}
}

func TestCancel(t *testing.T) {
	for _, script := range []string{"text a\nhang", "text a\nwait 1h\ntext b", "text a\nrepeat 100 text b"} {
		synctest.Test(t, func(t *testing.T) {
			cause := errors.New("interrupted")
			ctx, cancel := context.WithCancelCause(t.Context())
			var got []string
			var mu sync.Mutex
			done := make(chan struct{})
			go func() {
				defer close(done)
				for d, err := range parse(t, script).Provider().Stream(ctx, &model.Request{}) {
					mu.Lock()
					got = append(got, line(d, err))
					mu.Unlock()
					if strings.Contains(script, "repeat") {
						cancel(cause)
					}
				}
			}()
			synctest.Wait()
			cancel(cause)
			<-done
			if want := []string{`0 text "a"`, "error interrupted"}; !slices.Equal(got, want) {
				t.Errorf("%q: %q, want %q", script, got, want)
			}
		})
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		listen(t.Context(), parse(t, "wait 50ms\ntext a").Provider(), &model.Request{})
		if took := time.Since(begin); took != 50*time.Millisecond {
			t.Errorf("took %s", took)
		}
	})
}

// TestLeave: a listener that breaks out of the loop hears nothing more.
func TestLeave(t *testing.T) {
	for range parse(t, "text a\ncall b {}\nusage in=1").Provider().Stream(t.Context(), &model.Request{}) {
		break
	}
}

// TestTogether: of many callers at once each gets an answer of its own.
func TestTogether(t *testing.T) {
	const n = 50
	var script strings.Builder
	for i := range n {
		fmt.Fprintf(&script, "text %d\nnext\n", i)
	}
	p := parse(t, script.String()).Provider()
	answers := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { answers[i] = listen(t.Context(), p, &model.Request{})[0] })
	}
	wg.Wait()
	slices.Sort(answers)
	if len(slices.Compact(answers)) != n {
		t.Errorf("answers are given twice: %q", answers)
	}
}

// FuzzParse: what parses can be played to its end without a panic, one Done or one error an answer.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"text Hallo", `text "a\nb"`, "think a\ncall b {\"c\":1}\nusage in=1\nstop tools\ntext d", "call@x y", "fail auth status=401 code=A no",
		"repeat 2 text x", "expect a|b", "next", "text a\nnext\nhang", "wait 1ms", "\xff", "# x\r\n\ttext a\r\n",
	} {
		f.Add(seed)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("fuzz", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Errorf("error without a position: %v", err)
			}
			return
		}
		slow := strings.Contains(text, "hang") || strings.Contains(text, "wait") || strings.Contains(text, "repeat")
		ctx := t.Context()
		if slow {
			ctx = ended
		}
		p := s.Provider()
		for range len(s.answers) {
			ends := 0
			for d, err := range p.Stream(ctx, &model.Request{}) {
				if ends++; err == nil && d.Kind != model.Done {
					ends = 0
				}
			}
			if ends != 1 {
				t.Fatalf("an answer ended %d times", ends)
			}
		}
	})
}

func BenchmarkRepeat(b *testing.B) {
	s, err := Parse("bench", []byte(`repeat 20000 text "x "`))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := 0
		for range s.Provider().Stream(b.Context(), &model.Request{}) {
			n++
		}
		if n != 20001 {
			b.Fatal(n)
		}
	}
}

// TestReady: nothing is said before the request is ready, nor when it never is.
func TestReady(t *testing.T) {
	for want, end := range map[string]func(ready chan struct{}, cancel context.CancelCauseFunc){
		`0 text "a"`:        func(ready chan struct{}, _ context.CancelCauseFunc) { close(ready) },
		"error interrupted": func(_ chan struct{}, cancel context.CancelCauseFunc) { cancel(errors.New("interrupted")) },
	} {
		synctest.Test(t, func(t *testing.T) {
			ready, said := make(chan struct{}), make(chan string, 9)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				for d, err := range parse(t, "text a").Provider().Stream(ctx, &model.Request{Ready: ready}) {
					said <- line(d, err)
				}
			}()
			synctest.Wait()
			if len(said) != 0 {
				t.Errorf("%q was said before", <-said)
			}
			end(ready, cancel)
			if first := <-said; first != want {
				t.Errorf("%q, want %q", first, want)
			}
		})
	}
}
