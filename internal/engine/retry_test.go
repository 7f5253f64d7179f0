package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

func TestRetry(t *testing.T) {
	limited := &model.Error{Kind: model.RateLimited, Status: 429, RetryAfter: 7 * time.Second}
	cut, busy := &model.Error{Kind: model.BrokenStream, Message: "cut"}, &model.Error{Kind: model.Overloaded, Status: 529}
	cases := []struct {
		name    string
		answers []answerFunc
		calls   int
		reason  event.TurnReason
		atLeast time.Duration
	}{
		{"waits as long as the provider requests", []answerFunc{fail(limited), fail(limited), say("ok")}, 3, event.TurnCompleted, 14 * time.Second},
		{"eight rate limits at most", slices.Repeat([]answerFunc{fail(limited)}, 9), 9, event.TurnFailed, 56 * time.Second},
		{"eight overloads at most", slices.Repeat([]answerFunc{fail(busy)}, 9), 9, event.TurnFailed, 0},
		{"an overload that ends", append(slices.Repeat([]answerFunc{fail(busy)}, 8), say("ok")), 9, event.TurnCompleted, 0},
		{"two of anything else at most", []answerFunc{fail(cut), fail(cut), fail(cut)}, 3, event.TurnFailed, 0},
		{"not after something was shown", []answerFunc{sayThenFail("The ", cut)}, 1, event.TurnFailed, 0},
		{"not what waiting cannot mend", []answerFunc{fail(&model.Error{Kind: model.Quota})}, 1, event.TurnFailed, 0},
		{"not what the server calls final", []answerFunc{fail(&model.Error{Kind: model.Overloaded, Final: true})}, 1, event.TurnFailed, 0},
		{"after reasoning alone", []answerFunc{thinkThenFail("Hm", cut), say("ok")}, 2, event.TurnCompleted, 0},
		{"not longer than anyone would wait", []answerFunc{fail(&model.Error{Kind: model.RateLimited, RetryAfter: time.Hour})}, 1, event.TurnFailed, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil, c.answers...)
				s := b.session(t, nil)
				start := time.Now()
				end := ended(t, turnOf(t, s, "go", nil))
				if end.Reason != c.reason || len(b.requests()) != c.calls {
					t.Errorf("%s after %d calls, want %s after %d", end.Reason, len(b.requests()), c.reason, c.calls)
				}
				if waited := time.Since(start); waited < c.atLeast {
					t.Errorf("waited %s, want at least %s", waited, c.atLeast)
				}
			})
		})
	}
}

// thinkThenFail reasons, and then the stream fails.
func thinkThenFail(text string, err error) answerFunc {
	return func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		_ = yield(model.Delta{Kind: model.ThinkingDelta, Text: text}, nil) && yield(model.Delta{}, err)
	}
}

// TestRetryAfterReasoning checks that reasoning of an answer that is requested again stays a message of
// its own, which no model is sent, and that the second answer is another message.
func TestRetryAfterReasoning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, thinkThenFail("Hm", &model.Error{Kind: model.BrokenStream, Message: "cut"}), say("ok"))
		turn := turnOf(t, b.session(t, nil), "go", nil)
		answers := find[event.AssistantMessage](turn)
		if len(answers) != 2 || !answers[0].Partial || answers[0].Blocks[0].Text != "Hm" || answers[0].ID == answers[1].ID || answers[1].Blocks[0].Text != "ok" {
			t.Errorf("answers = %+v", answers)
		}
		if m := b.requests()[1].Messages; len(m) != 1 {
			t.Errorf("the second call has %d messages, want 1", len(m))
		}
		started := find[event.RetryStarted](turn)
		if len(started) != 1 || started[0].Failure.Kind != string(model.BrokenStream) {
			t.Errorf("retries = %+v", started)
		}
	})
}

// TestRetryDelays checks that waits double to the ceiling, and that one that the provider names is
// waited as it is.
func TestRetryDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy, named := fail(&model.Error{Kind: model.Overloaded}), fail(&model.Error{Kind: model.Overloaded, RetryAfter: 3 * time.Second})
		b := newBench(t, nil, append(slices.Repeat([]answerFunc{busy}, 7), named, say("ok"))...)
		started := find[event.RetryStarted](turnOf(t, b.session(t, func(o *Options, _ *event.Settings) { o.Retry = DefaultRetries }), "go", nil))
		if len(started) != 8 {
			t.Fatalf("%d retries, want 8", len(started))
		}
		for i, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
			if got := time.Duration(started[i].Delay); got < want*time.Second/2 || got > want*time.Second*3/2 {
				t.Errorf("wait %d is %s, want about %d s", i+1, got, want)
			}
		}
		if got := started[7]; time.Duration(got.Delay) != 3*time.Second || got.Max != 8 {
			t.Errorf("the wait that is named: %+v", got)
		}
	})
}

// TestRetryShown: what was shown of an answer is void once it is tried again, the ids of its
// calls included.
func TestRetryShown(t *testing.T) {
	cut := &model.Error{Kind: model.BrokenStream, Message: "cut"}
	callThenFail := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		_ = yield(model.Delta{Kind: model.TextDelta, Text: "Let me "}, nil) &&
			yield(model.Delta{Kind: model.ToolCallStart, Block: 1, CallID: "c", Name: "look"}, nil) &&
			yield(model.Delta{}, cut)
	}
	b := newBench(t, []fakeTool{lookTool()}, callThenFail, call(toolCall("c", "look", `{}`)), say("ok"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Retry = discarding{retriesFrom(time.Millisecond)} })
	turn := turnOf(t, s, "go", nil)
	if end := ended(t, turn); end.Reason != event.TurnCompleted || end.Steps != 2 {
		t.Errorf("end = %+v", end)
	}
	var kinds []string
	for _, rec := range turn[:8] {
		kinds = append(kinds, string(rec.Event.Kind()))
	}
	equal(t, "records", kinds, []string{
		"turn_started", "user_message", "step_started", "text_delta", "retry_started", "assistant_message", "retry_ended", "tool_intended",
	})
	if e := find[event.ToolIntended](turn); len(e) != 1 || e[0].Call != "c" {
		t.Errorf("calls = %+v", e)
	}
	if m := b.requests()[1].Messages; len(m) != 1 {
		t.Errorf("the second request has %d messages, want 1", len(m))
	}
	for _, e := range find[event.StepEnded](turn) {
		if e.Failure != nil {
			t.Errorf("a step failed: %+v", e.Failure)
		}
	}
}

// TestAbortRetry: the wait ends at once, and the turn fails with what was to be tried again.
func TestAbortRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := &model.Error{Kind: model.BrokenStream, Message: "cut"}
		b := newBench(t, nil, sayThenFail("Once", cut), say("again"))
		s := b.session(t, func(o *Options, _ *event.Settings) {
			o.Retry = discarding{Retries{Unavailable: 1, First: time.Minute, Longest: time.Hour}}
		})
		s.AbortRetry() // none waits
		start := time.Now()
		turn := turnOf(t, s, "go", func(rec event.Record) {
			if _, ok := rec.Event.(event.RetryStarted); ok {
				s.AbortRetry()
				s.AbortRetry()
			}
		})
		if end := ended(t, turn); end.Reason != event.TurnFailed || kindOf(end) != "broken_stream" || time.Since(start) != 0 {
			t.Errorf("end = %+v after %s", end.Failure, time.Since(start))
		}
		if e := find[event.RetryEnded](turn); len(e) != 1 || !e[0].Cancelled || e[0].Succeeded || e[0].Attempt != 1 {
			t.Errorf("retries ended = %+v", e)
		}
		if e := find[event.StepEnded](turn); e[0].Failure == nil || e[0].Failure.Kind != "broken_stream" {
			t.Errorf("the step ended with %+v", e[0].Failure)
		}
		if m := find[event.AssistantMessage](turn); len(m) != 1 || !m[0].Partial || m[0].Blocks[0].Text != "Once" {
			t.Errorf("the failed answer = %+v", m)
		}
		ended(t, turnOf(t, s, "again", nil))
	})
}

// TestAffordable checks that an answer that costs more than there is money for is requested again,
// shorter, once.
func TestAffordable(t *testing.T) {
	poor := fail(&model.Error{Kind: model.Quota, Status: 402, MaxTokens: 1200})
	for name, c := range map[string]struct {
		answers []answerFunc
		reason  event.TurnReason
	}{
		"shorter": {[]answerFunc{poor, say("ok")}, event.TurnCompleted},
		"twice":   {[]answerFunc{poor, poor}, event.TurnFailed},
	} {
		b := newBench(t, nil, c.answers...)
		if end := ended(t, turnOf(t, b.session(t, nil), "go", nil)); end.Reason != c.reason {
			t.Errorf("%s: end = %+v", name, end)
		}
		if r := b.requests(); len(r) != 2 || r[0].MaxTokens <= 1200 || r[1].MaxTokens != 1200 {
			t.Errorf("%s: requests = %+v", name, r)
		}
	}
	b := newBench(t, nil, fail(&model.Error{Kind: model.Quota, MaxTokens: 20}))
	if end := ended(t, turnOf(t, b.session(t, nil), "go", nil)); end.Reason != event.TurnFailed || len(b.requests()) != 1 {
		t.Errorf("an answer of 20 tokens is requested: %+v", end)
	}
}

// TestCharged checks that what the provider charges counts, and not what the catalogue has as the price.
func TestCharged(t *testing.T) {
	for _, charged := range []float64{0, 0.5} {
		b := newBench(t, nil, func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
			yield(model.Delta{Kind: model.Done, Response: &model.Response{Usage: model.Usage{Output: 1_000_000}, Cost: charged}}, nil)
		})
		b.info.Price = model.Price{Output: 2}
		end := ended(t, turnOf(t, b.session(t, nil), "go", nil))
		if want := map[float64]float64{0: 2, 0.5: 0.5}[charged]; end.Cost != want {
			t.Errorf("the turn costs %v, want %v", end.Cost, want)
		}
	}
}

// TestStepFailure: the end of a step says why its model call failed for good.
func TestStepFailure(t *testing.T) {
	rejected := &model.Error{Kind: model.Rejected, Provider: "script", Status: 400, Code: "bad", Message: "no"}
	panics := func(context.Context, *model.Request, func(model.Delta, error) bool) { panic("provider") }
	for name, c := range map[string]struct {
		answer answerFunc
		kind   string
	}{
		"answered": {say("ok"), ""},
		"rejected": {fail(rejected), "rejected"},
		"cut":      {sayThenFail("The ", rejected), "rejected"},
		"panic":    {panics, FailInternal},
	} {
		b := newBench(t, nil, c.answer)
		turn := turnOf(t, b.session(t, nil), "go", nil)
		ended(t, turn)
		e := find[event.StepEnded](turn)
		if len(e) != 1 || (e[0].Failure != nil) != (c.kind != "") {
			t.Fatalf("%s: %+v", name, e)
		}
		if c.kind != "" && e[0].Failure.Kind != c.kind {
			t.Errorf("%s: %+v", name, e[0].Failure)
		}
	}
}

func TestInterruptDuringRetry(t *testing.T) {
	b := newBench(t, nil, sayThenFail("Once", &model.Error{Kind: model.RateLimited, RetryAfter: time.Minute}))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Retry = discarding{retriesFrom(time.Millisecond)} })
	turn := turnOf(t, s, "go", func(rec event.Record) {
		if _, ok := rec.Event.(event.RetryStarted); ok {
			s.Interrupt()
		}
	})
	if end := ended(t, turn); end.Reason != event.TurnInterrupted {
		t.Errorf("reason = %s", end.Reason)
	}
	if e := find[event.RetryEnded](turn); len(e) != 1 || !e[0].Cancelled {
		t.Errorf("retries ended = %+v", e)
	}
	if e := find[event.StepEnded](turn); e[0].Failure != nil {
		t.Errorf("the step failed: %+v", e[0].Failure)
	}
	if m := find[event.AssistantMessage](turn); len(m) != 1 || len(m[0].Blocks) != 0 {
		t.Errorf("what is void came back: %+v", m)
	}
}
