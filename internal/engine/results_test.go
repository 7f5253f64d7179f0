package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// looking returns a worker that makes calls in each of steps steps, whose results have size bytes.
func looking(t *testing.T, steps, calls, size int) (*worker, *bench) {
	w := &worker{next: func(step int) []model.Call {
		if step == steps {
			return nil
		}
		return looks(step, calls)
	}}
	look := lookTool()
	look.run = func(_ context.Context, _ tool.Hooks, input string) tool.Result {
		return tool.Result{Text: "begin " + input + strings.Repeat(" text", size/5) + " end"}
	}
	return w, w.answers(newBench(t, []fakeTool{look}), 3*steps+10)
}

func codes(turn []event.Record) (all []string) {
	for _, n := range find[event.Notice](turn) {
		all = append(all, n.Code)
	}
	return all
}

// TestFailingSummaries: a compaction that fails is not tried again before the context has grown, and
// after three failures old results make room instead. The work goes on.
func TestFailingSummaries(t *testing.T) {
	for name, summary := range map[string]answerFunc{
		"rejected": fail(&model.Error{Kind: model.Rejected, Status: 400, Message: "no"}),
		"empty": func(_ context.Context, req *model.Request, yield func(model.Delta, error) bool) {
			respond(req, model.StopEnd, nil, yield)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := looking(t, 100, 4, 1800)
			w.summary = summary
			s := b.session(t, func(o *Options, _ *event.Settings) { o.Compact = WindowShares{At: 0.85, Keep: 0.2} })
			turn := turnOf(t, s, "work", nil)
			if end := ended(t, turn); end.Reason != event.TurnCompleted || w.steps != 101 {
				t.Fatalf("the turn ended %s after %d steps: %+v", end.Reason, w.steps, end.Failure)
			}
			if n := len(w.summaries); n > 10 {
				t.Errorf("%d requests for a summary", n)
			}
			dropped := 0
			for i, code := range codes(turn) {
				switch {
				case code == NoticeResultsDropped:
					dropped++
				case code != NoticeCompactionFailed || i < 3 && dropped > 0:
					t.Errorf("notice %d is %s", i, code)
				}
			}
			if dropped == 0 {
				t.Errorf("no results were dropped: %q", codes(turn))
			}
			for i, req := range b.requests() {
				if tokens := requestBytes(&req)/4 + req.MaxTokens; tokens > scriptInfo.ContextWindow {
					t.Errorf("request %d has %d tokens", i, tokens)
				}
			}
			checkBytes(t, s)
		})
	}
}

// TestDropOldResults: where old results are much of the context they are dropped in place of a
// compaction, in few passes, with a note that names the call. A resume sees the same history, and the
// records of the calls stay whole.
func TestDropOldResults(t *testing.T) {
	w, b := looking(t, 120, 4, 1800)
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Compact = DefaultCompaction })
	turn := turnOf(t, s, "work", nil)
	if end := ended(t, turn); end.Reason != event.TurnCompleted || len(w.summaries) > 0 {
		t.Fatalf("the turn ended %s, with %d summaries", end.Reason, len(w.summaries))
	}
	if n := len(codes(turn)); n == 0 || n > 4 {
		t.Errorf("%d passes", n)
	}
	requests := b.requests()
	history := shownTo(requests[len(requests)-1].Messages)
	if want := "c0-0=[result of look 0-0, 1824 bytes, dropped to make room: call it again if you need it]"; !strings.Contains(history, want) {
		t.Errorf("the history does not have %s:\n%.600s", want, history)
	}
	if !strings.Contains(history, "c119-3=begin") {
		t.Error("the last result was dropped")
	}
	for _, e := range find[event.ToolEnded](turn) {
		if !strings.HasPrefix(e.Output, "begin") {
			t.Fatalf("a record was changed: %.80q", e.Output)
		}
	}
	checkBytes(t, s)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := b.host().Open(t.Context(), s.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close(context.Background())
	ended(t, turnOf(t, again, "more", nil))
	requests = b.requests()
	if got := shownTo(requests[len(requests)-1].Messages); !strings.HasPrefix(got, history) {
		t.Error("the resumed session has another history")
	}
	checkBytes(t, again)

	var before uint64
	cut := again.State().Head // the answer before results were dropped first
	for _, rec := range turn {
		switch rec.Event.(type) {
		case event.AssistantMessage:
			before = rec.Seq
		case event.ResultsCut:
			cut = min(cut, before)
		}
	}
	if _, err := again.Branch(cut); err != nil {
		t.Fatal(err)
	}
	checkBytes(t, again)
	again.mu.Lock()
	defer again.mu.Unlock()
	if r := again.fold.Results["c0-0"]; !strings.HasPrefix(r.Text, "[result of look") {
		t.Errorf("after a move of the head the first result is %.80q", r.Text)
	}
}

// TestLargeStep: results of one step that do not fit are cut, the largest first, and the turn goes on.
func TestLargeStep(t *testing.T) {
	for _, window := range []int{100_000, 16_000} {
		t.Run(fmt.Sprint(window), func(t *testing.T) {
			w, b := looking(t, 3, 8, 150_000)
			b.info = scriptInfo
			b.info.ContextWindow = window
			work := w.next
			w.next = func(step int) []model.Call {
				calls := work(step)
				if len(calls) > 0 {
					calls[3] = toolCall(calls[3].ID, "work", `{}`)
				}
				return calls
			}
			b.tools["work"] = workTool(func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "short"} })
			s := b.session(t, func(o *Options, _ *event.Settings) { o.Compact = DefaultCompaction })
			turn := turnOf(t, s, "TASK-MARK", nil)
			if end := ended(t, turn); end.Reason != event.TurnCompleted || w.steps != 4 {
				t.Fatalf("the turn ended %s after %d steps: %+v", end.Reason, w.steps, end.Failure)
			}
			for _, code := range codes(turn) {
				if code != NoticeResultsDropped {
					t.Errorf("notice %s: %q", code, inOrder(turn))
				}
			}
			for i, req := range b.requests() {
				if tokens := requestBytes(&req)/4 + req.MaxTokens; tokens > window {
					t.Errorf("request %d has %d tokens", i, tokens)
				}
				text := allText(req)
				if !strings.Contains(text, "TASK-MARK") {
					t.Errorf("request %d does not have the task", i)
				}
				if last := req.Messages[len(req.Messages)-1]; last.Role == model.Tool {
					if r := last.Blocks[0].Result.Text; !strings.HasPrefix(r, "begin") || !strings.HasSuffix(r, " end") || !strings.Contains(r, "bytes left out: the results of this step") {
						t.Errorf("request %d has the result %.80q of %d bytes", i, r, len(r))
					}
					if r := last.Blocks[3].Result.Text; r != "short" {
						t.Errorf("a short result became %q", r)
					}
				}
			}
			checkBytes(t, s)
		})
	}
}
