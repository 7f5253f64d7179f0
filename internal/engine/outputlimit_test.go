package engine

import (
	"context"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

func TestOutputCap(t *testing.T) {
	levels := []model.Thinking{model.High}
	for _, test := range []struct {
		window, most int
		thinking     []model.Thinking
		want         int
	}{
		{128_000, 16_384, nil, 16_000},
		{200_000, 64_000, nil, 25_000},
		{1_000_000, 64_000, nil, 32_000},
		{1_000_000, 8192, nil, 8192},
		{128_000, 64_000, levels, 32_000},
		{200_000, 128_000, levels, 32_000},
		{128_000, 0, levels, 32_000},
		{8192, 0, levels, 2048},
		{0, 0, nil, 256},
	} {
		if got := OutputCap(model.Info{ContextWindow: test.window, MaxOutput: test.most, Thinking: test.thinking}); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// A model that reasons may answer as long as it can, in what the window has left.
func TestAnswerLimit(t *testing.T) {
	reasons := model.Info{ID: "m", Provider: "p", ContextWindow: 200_000, MaxOutput: 64_000, Thinking: []model.Thinking{model.High}}
	for _, test := range []struct {
		name   string
		info   func(*model.Info)
		prompt int // tokens
		set    int // Options.MaxTokens
		least  int
		most   int
	}{
		{"all that it can", func(*model.Info) {}, 10, 0, 64_000, 64_000},
		{"what is left", func(*model.Info) {}, 130_000, 0, 40_000, 45_000},
		{"what is kept free", func(*model.Info) {}, 165_000, 0, 32_000, 32_000},
		{"its limit is not known", func(i *model.Info) { i.MaxOutput = 0 }, 10, 0, 32_000, 32_000},
		{"it does not reason", func(i *model.Info) { i.Thinking = nil }, 10, 0, 25_000, 25_000},
		{"a limit is set", func(*model.Info) {}, 10, 9000, 9000, 9000},
	} {
		b := newBench(t, nil, say("ok"))
		b.info = reasons
		test.info(&b.info)
		s := b.session(t, func(o *Options, _ *event.Settings) { o.MaxTokens, o.Compact = test.set, fixed{Never: true} })
		turnOf(t, s, strings.Repeat("word", test.prompt), nil)
		if got := b.requests()[0].MaxTokens; got < test.least || got > test.most {
			t.Errorf("%s: %d", test.name, got)
		}
	}
}

// A request that is refused as too long is sent again with the limit that is kept free, before
// anything is summarised.
func TestAnswerLimitRefused(t *testing.T) {
	refuse := func(_ context.Context, req *model.Request, yield func(model.Delta, error) bool) {
		if req.MaxTokens > 32_000 {
			yield(model.Delta{}, &model.Error{Kind: model.ContextTooLong, Status: 400, Message: "input length and `max_tokens` exceed context limit"})
			return
		}
		say("ok")(context.Background(), req, yield)
	}
	b := newBench(t, nil, refuse, refuse)
	b.info = model.Info{ID: "m", Provider: "p", ContextWindow: 200_000, MaxOutput: 64_000, Thinking: []model.Thinking{model.High}}
	s := b.session(t, nil)
	if end := ended(t, turnOf(t, s, "go", nil)); end.Reason != event.TurnCompleted {
		t.Fatalf("the turn ended %s: %+v", end.Reason, end.Failure)
	}
	if requests := b.requests(); len(requests) != 2 || requests[1].MaxTokens != 32_000 {
		t.Errorf("%d requests, the last with %d tokens", len(requests), requests[len(requests)-1].MaxTokens)
	}
}

// TestCutCall checks that a call in which the answer was cut returns why, and that whole calls of that
// answer run. What is no JSON in a whole answer is the model's own mistake.
func TestCutCall(t *testing.T) {
	for _, test := range []struct {
		stop model.Stop
		want string
	}{
		{model.StopTokens, "your answer was cut at the limit of 9000 tokens within this call, so nothing was done: make the call smaller, and write a long file in parts"},
		{model.StopTools, "the input is not a JSON object"},
	} {
		answer := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
			whole, cut := toolCall("a", "look", `{"text":"x"}`), toolCall("b", "look", `"{\"text\":\"x"`)
			yield(model.Delta{Kind: model.Done, Response: &model.Response{Stop: test.stop, Message: model.Message{Role: model.Assistant, Blocks: []model.Block{
				{Kind: model.KindToolCall, Call: &whole}, {Kind: model.KindToolCall, Call: &cut},
			}}}}, nil)
		}
		b := newBench(t, []fakeTool{lookTool()}, answer, say("done"))
		s := b.session(t, func(o *Options, _ *event.Settings) { o.MaxTokens = 9000 })
		ends := find[event.ToolEnded](turnOf(t, s, "go", nil))
		if len(ends) != 2 || ends[0].Outcome != event.Succeeded || ends[1].Outcome != event.Failed || ends[1].Output != test.want {
			t.Errorf("%s: the calls ended as %+v", test.stop, ends)
		}
	}
}
