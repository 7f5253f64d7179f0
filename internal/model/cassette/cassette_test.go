package cassette

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"parley.dev/parley/internal/model"
)

// A scripted is a provider that yields the same deltas, then fails with err, or answers where that is nil.
type scripted struct {
	deltas []model.Delta
	err    error
}

func (p scripted) Stream(context.Context, *model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		var answer model.Accumulator
		for _, d := range p.deltas {
			answer.Add(d)
			if !yield(d, nil) {
				return
			}
		}
		if p.err != nil {
			yield(model.Delta{}, p.err)
			return
		}
		yield(model.Delta{Kind: model.Done, Response: &model.Response{
			Message: answer.Message(), Stop: model.StopTools, Usage: model.Usage{Input: 3, Output: 4, CacheRead: 1}, Cost: 0.5, Model: "lab-1", Moderated: true,
		}}, nil)
	}
}

// says returns a provider that answers with a text.
func says(text string) scripted {
	return scripted{deltas: []model.Delta{{Kind: model.TextDelta, Text: text}}}
}

// asks returns the request after texts of the user that were answered, but for the last.
func asks(texts ...string) *model.Request {
	req := &model.Request{Model: "lab-1"}
	for i, text := range texts {
		if i > 0 {
			req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Blocks: []model.Block{model.TextBlock("Well.")}})
		}
		req.Messages = append(req.Messages, model.Message{Role: model.User, Blocks: []model.Block{model.TextBlock(text)}})
	}
	return req
}

// collect returns what a provider yields.
func collect(t *testing.T, p model.Provider, req *model.Request) (deltas []model.Delta, failure error) {
	t.Helper()
	for d, err := range p.Stream(t.Context(), req) {
		if failure != nil {
			t.Fatal("it goes on after a failure")
		}
		if failure = err; err == nil {
			deltas = append(deltas, d)
		}
	}
	return deltas, failure
}

// textOf returns the text of an answer, or of its failure.
func textOf(t *testing.T, p model.Provider, req *model.Request) string {
	t.Helper()
	deltas, err := collect(t, p, req)
	if err != nil {
		return "error: " + err.Error()
	}
	return deltas[len(deltas)-1].Response.Message.Text()
}

// record records the answers of providers to requests, and returns the path.
func record(t *testing.T, secrets []string, answers map[*model.Request]model.Provider, order ...*model.Request) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	r, err := NewRecorder(path, func() []string { return secrets }, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	for _, req := range order {
		_, _ = collect(t, r.Wrap(answers[req], "lab/lab-1"), req)
	}
	return path
}

func open(t *testing.T, path string) *Player {
	t.Helper()
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSame checks that a player yields the very deltas that were recorded, of every kind.
func TestSame(t *testing.T) {
	failure := &model.Error{
		Kind: model.RateLimited, Provider: "lab", Status: 429, Code: "SLOW", Message: "later", Window: 9, MaxTokens: 8, RetryAfter: 1500 * time.Millisecond, Final: true, Moderated: true,
	}
	deltas := []model.Delta{
		{Kind: model.UsageDelta, Usage: &model.Usage{Input: 7}},
		{Kind: model.NoticeDelta, Text: "pictures were left out"},
		{Kind: model.ThinkingDelta, Text: "Hm", Summary: true},
		{Kind: model.ThinkingDelta, Signature: "sig"},
		{Kind: model.TextDelta, Block: 1, Text: "ö"},
		{Kind: model.TextDelta, Block: 1, Text: " and\nmore"},
		{Kind: model.ToolCallStart, Block: 2, CallID: "c-1", Name: "read"},
		{Kind: model.ToolInputDelta, Block: 2, Text: `{"path":`},
		{Kind: model.ToolInputDelta, Block: 2, Text: `"a"}`},
	}
	for name, p := range map[string]scripted{"answer": {deltas: deltas}, "failure": {deltas: deltas[:5], err: failure}, "nothing": {err: failure}} {
		t.Run(name, func(t *testing.T) {
			req := asks("Go.")
			want, wantErr := collect(t, p, req)
			got, err := collect(t, open(t, record(t, nil, map[*model.Request]model.Provider{req: p}, req)), req)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v\nwant %+v", got, want)
			}
			if wantErr == nil {
				return
			}
			expected := *failure
			expected.Provider = Name
			if played, ok := errors.AsType[*model.Error](err); !ok || !reflect.DeepEqual(*played, expected) {
				t.Errorf("failure %+v, want %+v", err, expected)
			}
		})
	}
}

// TestPlaces: an answer is found by its place in a conversation, in whatever order requests come.
func TestPlaces(t *testing.T) {
	first, second, other, again := asks("One."), asks("One.", "Two."), asks("Other."), asks("One.")
	path := record(t, nil, map[*model.Request]model.Provider{
		first: scripted{err: &model.Error{Kind: model.Overloaded, Message: "busy"}}, again: says("1"), second: says("2"), other: says("o"),
	}, first, other, again, second)
	p := open(t, path)
	withResult := asks("One.", "Two.")
	withResult.System = "another"
	withResult.Messages = append(withResult.Messages, model.Message{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: "c", Text: "took 3 ms"}}}})
	for i, step := range []struct {
		req  *model.Request
		want string
	}{
		{withResult, "2"},
		{first, "error: busy"},
		{first, "1"},
		{first, "1"},            // the last one of a place is given again
		{asks("Unknown."), "o"}, // the first that is left after as many answers
		{asks("Unknown."), `error: the recording ` + path + ` has no answer after 0 others for "Unknown.": record it again with PARLEY_RECORD`},
		{asks("1", "2", "3"), `error: the recording ` + path + ` has no answer after 2 others for "3": record it again with PARLEY_RECORD`},
	} {
		if got := textOf(t, p, step.req); got != step.want {
			t.Errorf("step %d: %s, want %s", i+1, got, step.want)
		}
	}
	if p.Model() != "lab/lab-1" {
		t.Errorf("model %s", p.Model())
	}
}

// TestInterrupted: an answer that was interrupted when it was recorded ends with the request when it is played.
func TestInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	r, err := NewRecorder(path, func() []string { return nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range r.Wrap(says("Well, "), "lab/lab-1").Stream(t.Context(), asks("Go.")) {
		break
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cause := errors.New("interrupted")
	var text string
	for d, err := range open(t, path).Stream(ctx, asks("Go.")) {
		if err != nil {
			if err != cause {
				t.Errorf("it ends with %v", err)
			}
			break
		}
		text += d.Text
		cancel(cause)
	}
	if text != "Well, " {
		t.Errorf("it says %q", text)
	}
}

// TestSecrets: no secret is recorded, not even one that comes in pieces.
func TestSecrets(t *testing.T) {
	const secret = "sk-very-secret"
	req := asks("My key is " + secret + ".")
	p := scripted{deltas: []model.Delta{
		{Kind: model.ThinkingDelta, Text: "The key sk-ve"},
		{Kind: model.ThinkingDelta, Text: "ry-secret."},
		{Kind: model.TextDelta, Block: 1, Text: "plain "},
		{Kind: model.TextDelta, Block: 1, Text: "text"},
		{Kind: model.ToolCallStart, Block: 2, CallID: "c-1", Name: "shell"},
		{Kind: model.ToolInputDelta, Block: 2, Text: `{"command":"echo sk`},
		{Kind: model.ToolInputDelta, Block: 2, Text: `-very-secret"}`},
	}, err: &model.Error{Kind: model.Auth, Message: "wrong key " + secret}}
	path := record(t, []string{"", secret}, map[*model.Request]model.Provider{req: p}, req)
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("%v: %s", err, data)
	}
	deltas, err := collect(t, open(t, path), req)
	var texts []string
	for _, d := range deltas {
		texts = append(texts, d.Text)
	}
	if want := []string{"The key ***.", "", "plain ", "text", "", `{"command":"echo ***"}`, ""}; !reflect.DeepEqual(texts, want) || err.Error() != "wrong key ***" {
		t.Errorf("%q, %v", texts, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestConcurrent: sessions that run at the same time are recorded in whole lines, and played each with its own answers.
func TestConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	r, err := NewRecorder(path, func() []string { return nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	each := func(f func(prompt string)) {
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() { f(fmt.Sprint("Prompt ", i)) })
		}
		all.Wait()
	}
	each(func(prompt string) {
		for range r.Wrap(says("Answer to "+prompt), "lab/lab-1").Stream(t.Context(), asks(prompt)) {
		}
	})
	p := open(t, path)
	each(func(prompt string) {
		for d, err := range p.Stream(t.Context(), asks(prompt)) {
			if err != nil || d.Kind == model.Done && d.Response.Message.Text() != "Answer to "+prompt {
				t.Errorf("%s: %+v, %v", prompt, d, err)
			}
		}
	})
}

// TestFullDisk: a recording that cannot be written costs no answer, and is reported once.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	failures := 0
	r, err := NewRecorder("/dev/full", func() []string { return nil }, func(error) { failures++ })
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := textOf(t, r.Wrap(says("Well."), "lab/lab-1"), asks("Go.")); got != "Well." {
			t.Errorf("answer %q", got)
		}
	}
	if failures != 1 {
		t.Errorf("%d failures are reported", failures)
	}
}

// TestCut: a recording that was cut anywhere in its last answer has the answers before it, and another one can be added.
func TestCut(t *testing.T) {
	one, two, three := asks("One."), asks("Two."), asks("Three.")
	answers := map[*model.Request]model.Provider{one: says("1"), two: says("2 ö"), three: says("3")}
	whole, err := os.ReadFile(record(t, nil, answers, one, two))
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	for n := first; n <= len(whole); n++ {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := Load(path)
		want := 1
		if n >= len(whole)-1 { // without its LF a line is whole, too
			want = 2
		}
		if err != nil || len(before) != want {
			t.Fatalf("cut after %d of %d bytes: %d answers, %v", n, len(whole), len(before), err)
		}
		r, err := NewRecorder(path, func() []string { return nil }, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		_, _ = collect(t, r.Wrap(answers[three], "lab/lab-1"), three)
		if after, err := Load(path); err != nil || len(after) != want+1 || after[want].Prompt != "Three." {
			t.Fatalf("cut after %d of %d bytes, and recorded again: %+v, %v", n, len(whole), after, err)
		}
	}
}

// TestLoad checks what is wrong with a recording, and where.
func TestLoad(t *testing.T) {
	const good = `{"v":1,"model":"lab/lab-1","position":"00","answers":0,"prompt":"","pieces":[]}`
	for text, want := range map[string]string{
		"":                                    "it has no answer",
		"\n \n":                               "it has no answer",
		good + "\n{\n":                        "",
		good[:len(good)-1]:                    "it has no answer",
		good + "\nnonsense":                   "answer 2: ",
		`{}`:                                  "answer 1: it is no recorded answer",
		`{"v":2}`:                             "answer 1: a newer program has written it: version 2, this one reads up to 1",
		`{"v":1,"error":{}}`:                  "answer 1: the error has no kind",
		`{"v":1,"pieces":[{}]}`:               `answer 1: unknown piece ""`,
		`{"v":1,"pieces":[{"kind":"dance"}]}`: `answer 1: unknown piece "dance"`,
		good + "\n\n" + good:                  "",
	} {
		path := filepath.Join(t.TempDir(), "tape.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), "recording "+path+": "+want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := NewRecorder(t.TempDir(), nil, nil); err == nil {
		t.Error("a folder is taken for a recording")
	}
}

// FuzzParse: a line is read or refused, and what is read is played to its end.
func FuzzParse(f *testing.F) {
	f.Add(`{"v":1,"model":"a/b","pieces":[{"kind":"text","text":"x"},{"kind":"call","block":70000}],"end":{"stop":"end","usage":{"input":1,"output":1}}}`)
	f.Add(`{"v":1,"error":{"kind":"auth","message":"m"}}`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := parse([]byte(line))
		if err != nil || e.End == nil && e.Error == nil {
			return
		}
		p := &Player{entries: []Entry{e}, used: make([]bool, 1)}
		req := asks("Go.")
		p.entries[0].Position, _, _ = positionOf(req)
		ends := 0
		for d, err := range p.Stream(t.Context(), req) {
			if err != nil || d.Kind == model.Done {
				ends++
			}
		}
		if ends != 1 {
			t.Errorf("%d ends", ends)
		}
	})
}
