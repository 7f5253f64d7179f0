package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool"
)

func compactNow(s *Session, guidance string) (event.Compacted, error) {
	wait, err := s.Compact(context.Background(), guidance)
	if err != nil {
		return event.Compacted{}, err
	}
	return wait()
}

// summarised returns the message that stands for messages of which the user wrote prompts.
func summarised(summary string, prompts ...string) string {
	return session.CompactedText(event.Compacted{Summary: summary, Carryover: event.Carryover{Prompts: prompts}})
}

func TestCompactAsked(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{}`)), say("seen"), say("We looked."), say("on"))
	s := b.session(t, nil)
	if _, err := compactNow(s, ""); !errors.Is(err, ErrNothingToCompact) {
		t.Errorf("an empty history: %v", err)
	}
	ended(t, turnOf(t, s, "look", nil))
	checkBytes(t, s)
	if n := s.State().Results; n != 1 {
		t.Errorf("%d results, want 1", n)
	}
	done, err := compactNow(s, "keep names")
	if err != nil || done.Summary != "We looked." || done.Removed != 3 {
		t.Fatalf("compacted = %+v, %v", done, err)
	}
	checkBytes(t, s)
	ended(t, turnOf(t, s, "go on", nil))
	messages := b.requests()[3].Messages
	if len(messages) != 2 || messages[0].Text() != summarised("We looked.", "look") {
		t.Errorf("history = %+v", messages)
	}
	checkBytes(t, s)
	if asked := b.requests()[2].Messages[0].Text(); !strings.Contains(asked, "[tool look]") || !strings.Contains(asked, "keep names") {
		t.Errorf("the summariser received %q", asked)
	}
}

// TestCompactTokens: the tokens after a compaction are measured like those before it, also where a
// provider counts few of them. Its answers of say count 12 tokens each.
func TestCompactTokens(t *testing.T) {
	b := newBench(t, nil, say(strings.Repeat("word ", 4000)), say("Short."))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "talk", nil))
	done, err := compactNow(s, "")
	if err != nil || done.TokensBefore > 20 || done.TokensAfter >= done.TokensBefore {
		t.Errorf("%d tokens became %d, %v; want fewer than the 12 that were counted", done.TokensBefore, done.TokensAfter, err)
	}
}

// checkBytes checks the running size of the history against the history.
func checkBytes(t testing.TB, s *Session) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	want := 0
	for _, e := range s.fold.Entries {
		want += s.fold.EntryBytes(e)
	}
	if s.fold.Bytes != want {
		t.Errorf("the history is taken to have %d bytes, and has %d", s.fold.Bytes, want)
	}
	results := 0
	for _, m := range s.fold.Messages("none") {
		for _, b := range m.Blocks {
			if b.Result != nil && b.Result.Text != "none" {
				results++
			}
		}
	}
	if s.fold.State.Results != results {
		t.Errorf("the history is taken to have %d results, and has %d", s.fold.State.Results, results)
	}
}

func TestCompactInterrupted(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, say("one"), hang("", hanging), say("two"))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "first", nil))
	wait, err := s.Compact(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	<-hanging
	if _, err := s.Prompt(t.Context(), Prompt{Text: "busy"}); !errors.Is(err, ErrTurnActive) {
		t.Errorf("a prompt during a compaction: %v", err)
	}
	s.Interrupt()
	if _, err := wait(); !errors.Is(err, ErrInterrupted) {
		t.Errorf("compaction ended with %v", err)
	}
	ended(t, turnOf(t, s, "second", nil))
	equal(t, "history", said(b.requests()[2].Messages), []string{"first", "second"})
}

// TestCompactCancelled: the end of its context ends a compaction, and nothing that comes after it.
func TestCompactCancelled(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, say("one"), hang("", hanging), say("two"))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "first", nil))
	ctx, cancel := context.WithCancelCause(t.Context())
	wait, err := s.Compact(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	<-hanging
	cause := errors.New("not needed any more")
	cancel(cause)
	if _, err := wait(); !errors.Is(err, cause) {
		t.Errorf("compaction ended with %v", err)
	}
	ended(t, turnOf(t, s, "second", nil))
	equal(t, "history", said(b.requests()[2].Messages), []string{"first", "second"})
}

// TestCompactByItself: at the threshold, and when the provider says that it is too long.
func TestCompactByItself(t *testing.T) {
	long := strings.Repeat("word ", 60_000) // 75,000 tokens of a window of 100,000
	tooLong := &model.Error{Kind: model.ContextTooLong, Status: 400, Message: "too long"}
	full := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		yield(model.Delta{Kind: model.Done, Response: &model.Response{
			Message: model.Message{Role: model.Assistant, Blocks: []model.Block{model.TextBlock("ok")}},
			Usage:   model.Usage{Input: 95_000, Output: 10},
		}}, nil)
	}
	unexplained := &model.Error{Kind: model.Rejected, Status: 400, Message: "Bad Request"}
	noRoom := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		yield(model.Delta{Kind: model.Done, Response: &model.Response{Stop: model.StopTokens, Usage: model.Usage{Input: 100_000}}}, nil)
	}
	cases := []struct {
		name    string
		at      float64
		answers []answerFunc
		reason  event.CompactReason
	}{
		{"threshold", 0.85, []answerFunc{full, say("summary"), say("on")}, event.CompactThreshold},
		{"overflow", 0, []answerFunc{say("ok"), fail(tooLong), say("summary"), say("on")}, event.CompactOverflow},
		{"400 without a body", 0, []answerFunc{full, fail(unexplained), say("summary"), say("on")}, event.CompactOverflow},
		{"no room for an answer", 0, []answerFunc{say("ok"), noRoom, say("summary"), say("on")}, event.CompactOverflow},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, nil, c.answers...)
			s := b.session(t, func(o *Options, _ *event.Settings) { o.Compact = WindowShares{At: c.at, Keep: 0.2, Drop: 0.4} })
			ended(t, turnOf(t, s, long, nil))
			turn := turnOf(t, s, "more", nil)
			if end := ended(t, turn); end.Reason != event.TurnCompleted {
				t.Fatalf("end = %+v", end.Failure)
			}
			if done := find[event.Compacted](turn); len(done) != 1 || done[0].Reason != c.reason {
				t.Errorf("compactions = %+v", done)
			}
			requests := b.requests()
			history := said(requests[len(requests)-1].Messages)
			if len(history) != 2 || !strings.HasPrefix(history[0], session.CompactedText(event.Compacted{Summary: "summary"})+"\n") || history[1] != "more" {
				t.Errorf("the history begins with %q, and has %d messages of the user", history[0][:100], len(history))
			}
			if n := len(history[0]); n > 100_000/6*session.BytesPerToken+500 {
				t.Errorf("the summary and the prompt before it have %d bytes", n)
			}
			if got := requests[len(requests)-1].Messages; len(got) != 3 || got[1].Text() != "ok" {
				t.Errorf("the recent answer is gone: %d messages", len(got))
			}
		})
	}
}

// TestSmallWindow talks to a model with a window of 8,192 tokens that is taken to have 128,000, and
// refuses what does not fit, with an answer of the length that may be.
func TestSmallWindow(t *testing.T) {
	const window = 8192
	long := strings.Repeat("word ", 3600) // 18,000 bytes, 4,500 tokens
	for _, reported := range []int{window, 0} {
		for _, prompts := range [][]string{
			{long, long},
			{"short", long + long},
			{long + long + long},
			{long, long, long},
			{"a", "b", long + long, "c"},
			{long, long, long, long, long, long, long, long},
		} {
			answer := func(_ context.Context, req *model.Request, yield func(model.Delta, error) bool) {
				size := len(req.System) + toolBytes(req.Tools)
				for _, m := range req.Messages {
					size += session.MessageBytes(m)
				}
				if size/session.BytesPerToken+req.MaxTokens > window {
					yield(model.Delta{}, &model.Error{Kind: model.ContextTooLong, Status: 400, Message: "too long", Window: reported})
					return
				}
				say("answer")(t.Context(), req, yield)
			}
			b := newBench(t, nil)
			b.info = scriptInfo
			b.info.ContextWindow = 128_000
			for range 20 * len(prompts) {
				b.answers = append(b.answers, answer)
			}
			s := b.session(t, nil)
			for n, prompt := range prompts {
				turn := turnOf(t, s, prompt, nil)
				if end := ended(t, turn); end.Reason != event.TurnCompleted {
					t.Fatalf("window %d, prompts of %d: turn %d of %d bytes: %+v", reported, len(prompts), n, len(prompt), end.Failure)
				}
				if shortened := len(prompt) > 6*window/2; shortened != (len(find[event.Notice](turn)) > 0) {
					t.Errorf("window %d: turn %d of %d bytes has the notices %+v", reported, n, len(prompt), find[event.Notice](turn))
				}
			}
			checkBytes(t, s)
		}
	}
}

// TestLargeStepInSmallWindow reads more in one step than a window holds that is taken to be larger: the
// results are cut, and there is neither a summary, which could not make them smaller, nor a second refusal.
func TestLargeStepInSmallWindow(t *testing.T) {
	const window = 32_000
	look := lookTool()
	look.run = func(context.Context, tool.Hooks, string) tool.Result {
		return tool.Result{Text: strings.Repeat("word ", 8000)} // 10,000 tokens
	}
	var calls []model.Call
	for n := range 6 {
		calls = append(calls, toolCall(fmt.Sprint("c", n), "look", `{"text":"x"}`))
	}
	refused := 0
	answer := func(_ context.Context, req *model.Request, yield func(model.Delta, error) bool) {
		if requestBytes(req)/session.BytesPerToken > window {
			refused++
			yield(model.Delta{}, &model.Error{Kind: model.ContextTooLong, Status: 400, Message: "too long", Window: window})
			return
		}
		say("done")(t.Context(), req, yield)
	}
	b := newBench(t, []fakeTool{look}, call(calls...), answer, answer, answer, answer)
	b.info = scriptInfo
	b.info.ContextWindow = 128_000
	s := b.session(t, nil)
	turn := turnOf(t, s, "go", nil)
	if end := ended(t, turn); end.Reason != event.TurnCompleted {
		t.Fatalf("the turn ended %s: %+v", end.Reason, end.Failure)
	}
	if refused != 1 || len(b.requests()) != 3 || len(find[event.CompactionStarted](turn)) > 0 {
		t.Errorf("%d of %d requests were refused, %d compactions began", refused, len(b.requests()), len(find[event.CompactionStarted](turn)))
	}
	checkBytes(t, s)
}

// TestShortened cuts the longest texts to one length, and nothing else.
func TestShortened(t *testing.T) {
	text := strings.Repeat("é", 2000)
	input := jsontext.Value(`{"text":"` + strings.Repeat("x", 300) + `"}`)
	messages := []model.Message{
		model.UserText(text),
		{Role: model.Assistant, Blocks: []model.Block{
			{Kind: model.KindThinking, Text: text, Signature: "s"},
			model.TextBlock("short"),
			{Kind: model.KindToolCall, Call: &model.Call{ID: "c", Name: "look", Input: input}},
		}},
		{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: "c", Text: text + text}}}},
	}
	for _, limit := range []int{-5, 0, 6000, 7500, 1 << 20} {
		got := shortened(messages, limit)
		if diff := cmp.Diff(messages[1], got[1]); diff != "" {
			t.Errorf("%d: -want +got:\n%s", limit, diff)
		}
		said, result := got[0].Text(), got[2].Blocks[0].Result.Text
		if fits := limit > 1<<10*16; fits != (said == text && result == text+text) {
			t.Errorf("%d bytes, of %d: %d and %d are left", limit, len(text)*3, len(said), len(result))
		}
		if n := len(said) + len(result); limit > 5000 && n > limit || !utf8.ValidString(said+result) {
			t.Errorf("%d bytes: %d are left, valid %v", limit, n, utf8.ValidString(said+result))
		}
	}
	if messages[2].Blocks[0].Result.Text != text+text {
		t.Error("the messages themselves were changed")
	}
}

func TestBranch(t *testing.T) {
	b := newBench(t, nil, say("one"), say("two"), say("three"))
	s := b.session(t, nil)
	first := turnOf(t, s, "first", nil)
	ended(t, first)
	ended(t, turnOf(t, s, "second", nil))
	var head uint64
	for _, rec := range first {
		if _, ok := rec.Event.(event.AssistantMessage); ok {
			head = rec.Seq
		}
	}
	if n, err := s.Branch(head); err != nil || n != 2 {
		t.Fatalf("branch = %d, %v", n, err)
	}
	if _, err := s.Branch(head + 1); !errors.Is(err, ErrBadHead) {
		t.Errorf("a bad head: %v", err)
	}
	ended(t, turnOf(t, s, "third", nil))
	equal(t, "history", said(b.requests()[2].Messages), []string{"first", "third"})
	if n, err := s.Branch(0); err != nil || n != 4 {
		t.Errorf("clear = %d, %v", n, err)
	}
}
