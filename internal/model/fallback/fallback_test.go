package fallback

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// An endpoint refuses requests by what says, and keeps what it was sent.
type endpoint struct {
	says func(req *model.Request) *model.Error
	sent []*model.Request
}

func (e *endpoint) stream(_ context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		e.sent = append(e.sent, req)
		if err := e.says(req); err != nil {
			yield(model.Delta{}, err)
			return
		}
		yield(model.Delta{Kind: model.Done, Response: &model.Response{}}, nil)
	}
}

// run streams req and returns the error that came.
func run(m *Memory, e *endpoint, req *model.Request) (failed error) {
	for _, err := range m.Stream(context.Background(), req, e.stream) {
		failed = err
	}
	return failed
}

func refusal(code, message string) *model.Error {
	return &model.Error{Kind: model.Rejected, Status: 400, Code: code, Message: message}
}

func request() *model.Request {
	warm := 0.3
	return &model.Request{
		Model: "m", MaxTokens: 9000, Thinking: model.Minimal, Tuning: model.Tuning{Summary: "auto", Temperature: &warm, OutputSchema: jsontext.Value(`{"type":"object"}`)},
		Messages: []model.Message{
			model.UserText("Hello"),
			{Role: model.Assistant, Blocks: []model.Block{{Kind: model.KindThinking, Text: "Hm.", Signature: "openai:x"}, model.TextBlock("Hi.")}},
			model.UserText("Go on."),
		},
	}
}

func hasThinking(req *model.Request) bool {
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			if b.Kind == model.KindThinking {
				return true
			}
		}
	}
	return false
}

// Each rule changes what its endpoint names, once, and from the beginning in later requests.
func TestRules(t *testing.T) {
	for _, test := range []struct {
		name string
		says *model.Error
		ok   func(*model.Request) bool // the endpoint takes it
	}{
		{
			"summary", refusal("unsupported_value", "Your organization must be verified to generate reasoning summaries. Please go to: https://…"),
			func(r *model.Request) bool { return r.Tuning.Summary == "none" && r.Thinking == model.Minimal },
		},
		{"signature", refusal("invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block"), func(r *model.Request) bool { return !hasThinking(r) }},
		{"encrypted", refusal("invalid_encrypted_content", "The encrypted content gAAA… could not be verified."), func(r *model.Request) bool { return !hasThinking(r) }},
		{
			"effort value", refusal("unsupported_value", "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'. (param: reasoning.effort)"),
			func(r *model.Request) bool { return r.Thinking == model.Low },
		},
		{
			"missing reasoning", refusal("invalid_request_error", "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."),
			func(r *model.Request) bool { return r.Thinking == model.Off },
		},
		{"effort", refusal("", "`reasoning_effort` is not supported with this model"), func(r *model.Request) bool { return r.Thinking == "" }},
		{
			"effort with tools", refusal("", "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. Please use /v1/responses instead."),
			func(r *model.Request) bool { return r.Thinking == model.Off },
		},
		{"reasoning_content", refusal("", "property 'reasoning_content' is unsupported"), func(r *model.Request) bool { return !hasThinking(r) }},
		{
			"max_tokens", refusal("unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
			func(r *model.Request) bool { return r.MaxTokens == 0 },
		},
		{
			"temperature", refusal("unsupported_value", "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported."),
			func(r *model.Request) bool { return r.Tuning.Temperature == nil },
		},
		{
			"output schema", refusal("invalid_request_error", "This model does not support response format `json_schema`."),
			func(r *model.Request) bool {
				return r.Tuning.OutputSchema == nil && strings.HasSuffix(r.System, `and nothing else:`+"\n"+`{"type":"object"}`)
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := &endpoint{says: func(r *model.Request) *model.Error {
				if test.ok(r) {
					return nil
				}
				return test.says
			}}
			var m Memory
			req := request()
			if err := run(&m, e, req); err != nil || len(e.sent) != 2 {
				t.Fatalf("after %d requests: %v", len(e.sent), err)
			}
			if diff := cmp.Diff(request(), req); diff != "" {
				t.Errorf("the request was changed: %s", diff)
			}
			if err := run(&m, e, request()); err != nil || len(e.sent) != 3 {
				t.Errorf("a later request: %d in all, %v", len(e.sent), err)
			}
			other := request()
			other.Model = "other"
			_ = run(&m, e, other)
			if len(e.sent) != 5 {
				t.Errorf("another model is sent changed requests: %d in all", len(e.sent))
			}
		})
	}
}

// A tool that the endpoint names is left out, and users read which.
func TestTool(t *testing.T) {
	for _, says := range []string{
		"Invalid schema for function 'bad': In context=(), object schema missing properties",
		"tools.1.custom.input_schema: JSON schema is invalid",
		"Invalid 'tools[1].function.name': string does not match pattern",
		"* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].items: missing field.",
	} {
		bad := func(r *model.Request) bool {
			return slices.ContainsFunc(r.Tools, func(t model.ToolSpec) bool { return t.Name == "bad" })
		}
		e := &endpoint{says: func(r *model.Request) *model.Error {
			if bad(r) {
				return refusal("", says)
			}
			return nil
		}}
		req := request()
		req.Tools = []model.ToolSpec{{Name: "good"}, {Name: "bad"}, {Name: "last"}}
		var m Memory
		var notices []string
		for d, err := range m.Stream(context.Background(), req, e.stream) {
			if err != nil {
				t.Errorf("%s: %v", says, err)
			}
			if d.Kind == model.NoticeDelta {
				notices = append(notices, d.Text)
			}
		}
		if len(notices) != 1 || !strings.Contains(notices[0], "the tool bad,") || !strings.Contains(notices[0], says) {
			t.Errorf("%s: the notices are %q", says, notices)
		}
		if err := run(&m, e, req); err != nil || len(e.sent) != 3 || len(e.sent[2].Tools) != 2 || len(req.Tools) != 3 {
			t.Errorf("%s: %d requests, %v", says, len(e.sent), err)
		}
		req.Tools[1].Schema = jsontext.Value(`{}`)
		if _ = run(&m, e, req); len(e.sent) != 5 {
			t.Errorf("%s: a tool that has changed is not offered: %d requests", says, len(e.sent))
		}
	}
	for _, says := range []string{"tools.7: schema", "function 'other': schema", "tools: array too long", "tools[0].function_declarations: schema"} {
		e := &endpoint{says: func(*model.Request) *model.Error { return refusal("", says) }}
		req := request()
		req.Tools = []model.ToolSpec{{Name: "good"}}
		var m Memory
		if err := run(&m, e, req); err == nil || len(e.sent) != 1 {
			t.Errorf("%s: %d requests, %v", says, len(e.sent), err)
		}
	}
}

// What no rule knows, or what no change helps against, fails as it did.
func TestRefusedAnyway(t *testing.T) {
	for _, test := range []struct {
		says *model.Error
		sent int
	}{
		{refusal("", "messages: roles must alternate"), 1},
		{refusal("", "property 'reasoning_content' is unsupported"), 2}, // the endpoint says so again
		{&model.Error{Kind: model.RateLimited, Status: 429, Message: "reasoning summaries are limited"}, 1},
		{&model.Error{Kind: model.Unreachable, Message: "reasoning summaries"}, 1},
		{&model.Error{Kind: model.BrokenStream, Status: 200, Message: "encrypted content"}, 1},
		{refusal("", "effort: supported values are 'gigantic'"), 2},
	} {
		e := &endpoint{says: func(*model.Request) *model.Error { return test.says }}
		var m Memory
		if err := run(&m, e, request()); err != test.says || len(e.sent) != test.sent {
			t.Errorf("%s: %d requests, %v", test.says.Message, len(e.sent), err)
		}
	}
}

// A request that is exact is sent as it is, whatever was learned.
func TestExact(t *testing.T) {
	e := &endpoint{says: func(r *model.Request) *model.Error {
		if r.MaxTokens == 0 {
			return nil
		}
		return refusal("", "Unsupported parameter: 'max_tokens'")
	}}
	var m Memory
	if err := run(&m, e, request()); err != nil {
		t.Fatal(err)
	}
	exact := request()
	exact.Exact = true
	if err := run(&m, e, exact); err == nil || len(e.sent) != 3 {
		t.Errorf("%d requests, %v", len(e.sent), err)
	}
}

// Several refusals lead to as many changes, and there is an end.
func TestSeveral(t *testing.T) {
	e := &endpoint{says: func(r *model.Request) *model.Error {
		switch {
		case r.Tuning.Summary != "none":
			return refusal("", "must be verified to generate reasoning summaries")
		case hasThinking(r):
			return refusal("invalid_encrypted_content", "")
		case r.Tuning.Temperature != nil:
			return refusal("", "Unsupported parameter: 'temperature'")
		case r.MaxTokens != 0:
			return refusal("", "Unsupported parameter: 'max_tokens'")
		}
		return nil
	}}
	var m Memory
	if err := run(&m, e, request()); err == nil || len(e.sent) != maxTries {
		t.Errorf("%d requests, %v", len(e.sent), err)
	}
	if err := run(&m, e, request()); err != nil || len(e.sent) != maxTries+2 {
		t.Errorf("then %d requests, %v", len(e.sent), err)
	}
}

// Reasoning that came after a refusal goes back.
func TestLaterReasoningStays(t *testing.T) {
	e := &endpoint{says: func(r *model.Request) *model.Error {
		if r.Messages[1].Blocks[0].Signature == "openai:x" {
			return refusal("invalid_encrypted_content", "")
		}
		return nil
	}}
	var m Memory
	if err := run(&m, e, request()); err != nil {
		t.Fatal(err)
	}
	later := request()
	later.Messages = append(later.Messages, model.Message{Role: model.Assistant, Blocks: []model.Block{{Kind: model.KindThinking, Signature: "openai:y"}}})
	if err := run(&m, e, later); err != nil {
		t.Fatal(err)
	}
	last := e.sent[len(e.sent)-1]
	if got := last.Messages[3].Blocks; len(got) != 1 || len(last.Messages[1].Blocks) != 1 {
		t.Errorf("sent %+v", last.Messages)
	}
}

// Reasoning that is missing is not asked for until the next prompt.
func TestNotThinkingNow(t *testing.T) {
	req := request()
	change := notThinkingNow(req, nil)
	if got := change(req).Thinking; got != model.Off {
		t.Errorf("now %q", got)
	}
	later := request()
	later.Messages = append(later.Messages, model.UserText("Next."))
	if got := change(later).Thinking; got != model.Minimal {
		t.Errorf("later %q", got)
	}
	other := request()
	other.Session = "other"
	if got := change(other).Thinking; got != model.Minimal {
		t.Errorf("in another conversation %q", got)
	}
}

func TestNearestEffort(t *testing.T) {
	const listed = "Unsupported value. Supported values are: 'low', 'medium', and 'high'."
	for _, test := range []struct {
		message  string
		from, to model.Thinking
	}{
		{listed, model.Minimal, model.Low},
		{listed, model.XHigh, model.High},
		{listed, model.Off, model.Low},
		{"must be one of \"none\", \"default\"", model.High, model.Off},
		{"expected one of `none`, `high`, `max`", model.XHigh, ""},
		{listed, model.Low, ""},
		{"no list", model.Low, ""},
	} {
		req := &model.Request{Thinking: test.from}
		change := nearestEffort(req, refusal("", test.message))
		switch {
		case change == nil && test.to != "":
			t.Errorf("%s, %q: no change", test.message, test.from)
		case change != nil && change(req).Thinking != test.to:
			t.Errorf("%s, %q: %q", test.message, test.from, change(req).Thinking)
		}
	}
}
