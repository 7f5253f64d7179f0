package anthropic

import (
	"fmt"
	"testing"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

var subject = modeltest.Subject{
	Wire: modeltest.Anthropic,
	New: func(c modeltest.Client) model.Provider {
		return New(Options{BaseURL: c.BaseURL, APIKey: c.Key, Headers: c.Headers, HTTP: c.HTTP, IdleTimeout: c.Idle})
	},
}

func paramsOf(req *model.Request) *messagesRequest {
	at := Options{}.profile(req.Model)
	return params(req, &at, &Options{})
}

func TestSuite(t *testing.T) { modeltest.Run(t, subject) }

func TestRequest(t *testing.T) {
	subject.Golden(t, "conversation", modeltest.Conversation(model.Block{Kind: model.KindThinking, Text: "Hm.", Signature: "anthropic:c2ln"}))
	subject.Golden(t, "hello", modeltest.Hello())
	subject.Golden(t, "linked", modeltest.Linked())
	subject.Golden(t, "tools", modeltest.ForeignTools())
}

// A signature that came with an answer goes back with the next request, as it was.
func TestSignaturesComeBack(t *testing.T) {
	subject.FollowUp(t, "follow_up", modeltest.Stream(modeltest.Thinking("Hm."), modeltest.Signature("c2ln"), modeltest.Call("c", "read", `{}`)))
	redacted := `data: {"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"c2VjcmV0"}}` + "\n\n"
	text := `data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":"So."}}` + "\n\n"
	subject.FollowUp(t, "follow_up_redacted", modeltest.Stream(modeltest.Raw(redacted+text)))
}

// Neighbours of one role are one message, in which results stand first.
func TestMerging(t *testing.T) {
	req := &model.Request{Model: "m", Messages: []model.Message{
		model.UserText("a"),
		{Role: model.Assistant, Blocks: []model.Block{{Kind: model.KindToolCall, Call: &model.Call{ID: "x", Name: "t", Input: []byte("{}")}}}},
		model.UserText("steer"),
		{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: "x", Text: "r"}}}},
		{Role: model.Assistant, Blocks: []model.Block{model.TextBlock(" \n")}},
		model.UserText("b"),
	}}
	subject.Golden(t, "merging", req)
}

// The wire refuses a temperature of models that think, and of all since 4.7.
func TestTuning(t *testing.T) {
	warm := 0.3
	req := modeltest.Hello()
	req.Model, req.MaxTokens, req.Tuning = "claude-opus-4-6", 8000, model.Tuning{ThinkingBudget: 4000, Summary: "detailed", Temperature: &warm}
	subject.Golden(t, "tuned", req)
	req.Thinking = model.High
	subject.Golden(t, "tuned_adaptive", req)
	req.Tuning.Summary = "none"
	subject.Golden(t, "tuned_adaptive_omitted", req)
	req.Model = "claude-sonnet-4-5"
	subject.Golden(t, "tuned_budget", req)

	described := modeltest.Hello()
	described.Model, described.Tuning.OutputSchema = "claude-sonnet-4-5", []byte(`{"type":"object"}`)
	subject.Golden(t, "output_schema", described)

	always := modeltest.Hello()
	always.Model = "claude-opus-5-5" // it thinks at its own default
	subject.Golden(t, "default_adaptive", always)

	hot := 1.7
	for _, test := range []struct {
		model string
		level model.Thinking
		wish  *float64
		want  string
	}{
		{"claude-sonnet-4-5", "", nil, ""},
		{"claude-sonnet-4-5", "", &warm, "0.3"},
		{"claude-sonnet-4-5", model.Off, &hot, "1"},
		{"claude-sonnet-4-5", model.Low, &warm, ""},
		{"other", "", &warm, "0.3"},
		{"claude-opus-4-7", "", &warm, ""},
		{"claude-sonnet-5", "", &warm, ""},
	} {
		p := paramsOf(&model.Request{Model: test.model, Thinking: test.level, Tuning: model.Tuning{Temperature: test.wish}})
		got := ""
		if p.Temperature != nil {
			got = fmt.Sprint(*p.Temperature)
		}
		if got != test.want {
			t.Errorf("%s %q: temperature %q, want %q", test.model, test.level, got, test.want)
		}
	}
}

func TestThinking(t *testing.T) {
	for _, test := range []struct {
		model  string
		level  model.Thinking
		max    int
		wish   int    // Tuning.ThinkingBudget
		budget int64  // 0: none
		effort string // "": none
		want   int64  // max_tokens
	}{
		{"claude-sonnet-4-5", model.Medium, 64000, 0, 10240, "", 64000},
		{"claude-sonnet-4-5", model.XHigh, 0, 0, 32768, "", 16384 + 32768},
		{"claude-sonnet-4-5", model.High, 8000, 0, 4000, "", 8000},
		{"claude-sonnet-4-5", model.High, 16384, 0, 8192, "", 16384},
		{"claude-sonnet-4-5", model.High, 64000, 0, 20480, "", 64000},
		{"claude-sonnet-4-5", model.Low, 2047, 0, 0, "", 2047},
		{"claude-sonnet-4-5", model.Off, 0, 0, 0, "", 16384},
		{"claude-sonnet-4-20250514", model.Minimal, 0, 0, 1024, "", 16384 + 1024},
		{"claude-3-7-sonnet-latest", model.Minimal, 0, 0, 1024, "", 16384 + 1024},
		{"other", model.Low, 0, 0, 4096, "", 16384 + 4096},
		{"claude-opus-4-6", model.XHigh, 0, 0, 0, "max", 16384},
		{"claude-opus-4-7", model.XHigh, 0, 0, 0, "xhigh", 16384},
		{"anthropic/claude-sonnet-4.6", model.Minimal, 0, 0, 0, "low", 16384},
		{"claude-opus-5-20270101", model.High, 0, 0, 0, "high", 16384},
		{"claude-opus-5", "", 0, 0, 0, "", 16384},
		{"claude-sonnet-4-5", model.XHigh, 64000, 16000, 16000, "", 64000},
		{"claude-sonnet-4-5", model.High, 64000, 16000, 10000, "", 64000},
		{"claude-sonnet-4-5", model.Low, 64000, 16000, 2000, "", 64000},
		{"claude-sonnet-4-5", model.Minimal, 64000, 16000, 1024, "", 64000},
		{"claude-sonnet-4-5", model.XHigh, 0, 5000, 5000, "", 16384 + 5000},
		{"claude-sonnet-4-5", model.XHigh, 0, 1, 1024, "", 16384 + 1024},
		{"claude-sonnet-4-5", model.XHigh, 0, -7, 1024, "", 16384 + 1024},
		{"claude-sonnet-4-5", model.XHigh, 8000, 100_000, 8000 - 1024, "", 8000},
		{"claude-sonnet-4-5", model.XHigh, 8000, 1 << 62, 8000 - 1024, "", 8000},
		{"claude-sonnet-4-5", model.Off, 0, 5000, 0, "", 16384},
		{"claude-opus-4-6", model.High, 0, 5000, 0, "high", 16384},
	} {
		req := &model.Request{Model: test.model, Thinking: test.level, MaxTokens: test.max, Tools: []model.ToolSpec{{Name: "t"}}}
		req.Tuning.ThinkingBudget = test.wish
		p := paramsOf(req)
		budget := p.Thinking.BudgetTokens
		if budget != test.budget || p.OutputConfig.Effort != test.effort || p.MaxTokens != test.want {
			t.Errorf("%s %q: budget %d, effort %q, max_tokens %d; want %+v", test.model, test.level, budget, p.OutputConfig.Effort, p.MaxTokens, test)
		}
		if adaptive := p.Thinking.Type == thinkingAdaptive; adaptive != (test.effort != "" || test.model == "claude-opus-5") {
			t.Errorf("%s %q: adaptive is %v", test.model, test.level, adaptive)
		}
		if got := len(betas(req)) > 0; got != (test.level != model.Off && test.level != "" && test.effort == "") {
			t.Errorf("%s %q: beta header is %v", test.model, test.level, got)
		}
	}
}

// A conversation with reasoning, calls and a change of the model.
func TestSwitchedConversation(t *testing.T) {
	thought := model.Block{Kind: model.KindThinking, Text: "Hm.", Signature: "anthropic:c2ln"}
	subject.Golden(t, "switched", modeltest.Switched("anthropic", "claude-sonnet-5", thought))
	req := modeltest.Hello()
	req.Model, req.Thinking = "claude-sonnet-5", model.Off
	subject.Golden(t, "off", req)
}
