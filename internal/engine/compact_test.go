package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

func compactNow(s *Session, guidance string) (event.Compacted, error) {
	wait, err := s.Compact(guidance)
	if err != nil {
		return event.Compacted{}, err
	}
	return wait()
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
	if len(messages) != 2 || messages[0].Text() != summaryIntro+"We looked." {
		t.Errorf("history = %+v", messages)
	}
	checkBytes(t, s)
	if asked := b.requests()[2].Messages[0].Text(); !strings.Contains(asked, "[tool look]") || !strings.Contains(asked, "keep names") {
		t.Errorf("the summariser was told %q", asked)
	}
}

// checkBytes checks the running size of the history against the history.
func checkBytes(t testing.TB, s *Session) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	want := 0
	for _, e := range s.fold.entries {
		want += s.fold.entryBytes(e)
	}
	if s.fold.bytes != want {
		t.Errorf("the history is taken to have %d bytes, and has %d", s.fold.bytes, want)
	}
	results := 0
	for _, m := range s.fold.messages("none") {
		for _, b := range m.Blocks {
			if b.Result != nil && b.Result.Text != "none" {
				results++
			}
		}
	}
	if s.fold.state.Results != results {
		t.Errorf("the history is taken to have %d results, and has %d", s.fold.state.Results, results)
	}
}

func TestCompactInterrupted(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, say("one"), hang("", hanging), say("two"))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "first", nil))
	wait, err := s.Compact("")
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
	cases := []struct {
		name    string
		at      float64
		answers []answerFunc
		reason  event.CompactReason
	}{
		{"threshold", 0.85, []answerFunc{full, say("summary"), say("on")}, event.CompactThreshold},
		{"overflow", 0, []answerFunc{say("ok"), fail(tooLong), say("summary"), say("on")}, event.CompactOverflow},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, nil, c.answers...)
			s := b.session(t, func(o *Options, _ *event.Settings) { o.Compact.At = c.at })
			ended(t, turnOf(t, s, long, nil))
			turn := turnOf(t, s, "more", nil)
			if end := ended(t, turn); end.Reason != event.TurnCompleted {
				t.Fatalf("end = %+v", end.Failure)
			}
			if done := find[event.Compacted](turn); len(done) != 1 || done[0].Reason != c.reason {
				t.Errorf("compactions = %+v", done)
			}
			requests := b.requests()
			equal(t, "history", said(requests[len(requests)-1].Messages), []string{summaryIntro + "summary", "more"})
			if got := requests[len(requests)-1].Messages; len(got) != 3 || got[1].Text() != "ok" {
				t.Errorf("the recent answer is gone: %d messages", len(got))
			}
		})
	}
}

func TestCompactKeepsWhatIsRecent(t *testing.T) {
	f := newFold()
	for i, size := range []int{400, 400, 400, 9000} {
		f.apply(event.Record{Seq: uint64(i + 1), Event: event.UserMessage{Blocks: []model.Block{model.TextBlock(strings.Repeat("x", size))}}})
	}
	old, kept := f.cut(250)         // tokens: room for two messages of 100
	if len(old) != 1 || kept != 2 { // and the last, however long
		t.Errorf("cut = %d old, kept from %d", len(old), kept)
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
