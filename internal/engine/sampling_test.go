package engine

import (
	"context"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// TestSample: a request of a tool server goes to the model of the turn with a bounded answer, counts
// as the session's usage, and is not part of the history.
func TestSample(t *testing.T) {
	b := newBench(t, []fakeTool{workTool(func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
		r, err := hooks.Sample(ctx, "one", &model.Request{System: "Be brief.", Messages: []model.Message{model.UserText("Sum it up")}, MaxTokens: 1 << 20})
		if err != nil {
			return tool.Failed(err.Error())
		}
		return tool.Result{Text: r.Message.Text() + " of " + r.Model}
	})}, call(toolCall("c", "work", `{}`)), say("short"), say("ok"))
	s := b.session(t, func(o *Options, settings *event.Settings) { settings.Mode = "danger-full-access" })
	records := turnOf(t, s, "go", nil)
	if got := find[event.ToolEnded](records)[0].Output; got != "short of test" {
		t.Errorf("%q", got)
	}
	requests := b.requests()
	if len(requests) != 3 || requests[1].System != "Be brief." || requests[1].MaxTokens != maxSampledTokens || len(requests[1].Messages) != 1 || len(requests[2].Messages) != 3 {
		t.Errorf("%+v", requests)
	}
	sampled := find[event.Sampled](records)
	if len(sampled) != 1 || sampled[0].Server != "one" || sampled[0].Call != "c" || sampled[0].Usage.Input != 10 {
		t.Errorf("%+v", sampled)
	}
	if end := ended(t, records); end.Usage.Input != 30 {
		t.Errorf("usage %+v", end.Usage)
	}
}
