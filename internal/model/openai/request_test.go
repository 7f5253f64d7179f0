package openai

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

var chatSubject = modeltest.Subject{
	Wire: modeltest.OpenAIChat,
	New:  func(c modeltest.Client) model.Provider { return NewChat(optionsFor(c)) },
}

var responsesSubject = modeltest.Subject{
	Wire: modeltest.OpenAIResponses,
	New:  func(c modeltest.Client) model.Provider { return NewResponses(optionsFor(c)) },
}

func TestChatRequest(t *testing.T) {
	thought := model.Block{Kind: model.KindThinking, Text: "Hm.", Signature: "reasoning_content"}
	chatSubject.Golden(t, "chat", modeltest.Conversation(thought))
	chatSubject.Golden(t, "chat_hello", modeltest.Hello())
	chatSubject.Golden(t, "chat_linked", modeltest.Linked())
}

func TestCompatibleRequest(t *testing.T) {
	compatible := modeltest.Subject{
		Wire: modeltest.OpenAIChat,
		New: func(c modeltest.Client) model.Provider {
			o := optionsFor(c)
			o.Compatible, o.Efforts = true, map[model.Thinking]string{model.XHigh: "max"}
			return NewChat(o)
		},
	}
	req := modeltest.Hello()
	req.MaxTokens, req.Session, req.Thinking = 100, "session-1", model.XHigh
	compatible.Golden(t, "chat_compatible", req)
}

func TestResponsesRequest(t *testing.T) {
	thought := model.Block{Kind: model.KindThinking, Text: "Hm.", Summary: true, Signature: reasoningItem{ID: "rs_1", Encrypted: "c2ln"}.signature()}
	responsesSubject.Golden(t, "responses", modeltest.Conversation(thought))
	responsesSubject.Golden(t, "responses_hello", modeltest.Hello())
	responsesSubject.Golden(t, "responses_linked", modeltest.Linked())
}

// Tuning reaches the wires that have a word for it. Reasoning models take no temperature.
func TestTuning(t *testing.T) {
	warm := 0.3
	hello := func(id string, level model.Thinking, summary string) *model.Request {
		req := modeltest.Hello()
		req.Model, req.Thinking, req.Tuning = id, level, model.Tuning{ThinkingBudget: 5000, Summary: summary, Temperature: &warm}
		return req
	}
	responsesSubject.Golden(t, "responses_tuned", hello("gpt-4.1", "", "detailed"))
	responsesSubject.Golden(t, "responses_tuned_reasoning", hello("gpt-5", model.High, "detailed"))
	responsesSubject.Golden(t, "responses_tuned_unsummarised", hello("gpt-5", model.Low, "none"))
	chatSubject.Golden(t, "chat_tuned", hello("gpt-4.1", "", "detailed"))
	chatSubject.Golden(t, "chat_tuned_reasoning", hello("o3", model.High, "detailed"))

	for _, test := range []struct {
		model      string
		level      model.Thinking
		compatible bool
		want       bool // the temperature is sent
	}{
		{"gpt-4o", "", false, true},
		{"gpt-4o", model.Off, false, true},
		{"gpt-5-chat-latest", "", false, true},
		{"o3", "", false, false},
		{"o4-mini-2025-04-16", "", false, false},
		{"gpt-5.2", "", false, false},
		{"gpt-10", "", false, false},
		{"openai/gpt-5-mini", "", true, false},
		{"codex-mini-latest", "", false, false},
		{"omni", "", false, true},
		{"o", "", false, true},
		{"my-deployment", model.High, false, false},
		{"gpt-oss-20b", model.High, true, true},
		{"qwen3-coder", "", true, true},
		{"", "", false, true},
	} {
		o := Options{Compatible: test.compatible}
		got := o.temperature(&model.Request{Model: test.model, Thinking: test.level, Tuning: model.Tuning{Temperature: &warm}})
		if (got != nil) != test.want {
			t.Errorf("%q %q, compatible %t: %v", test.model, test.level, test.compatible, got)
		}
	}
	for summary, want := range map[string]string{"": "auto", "auto": "auto", "concise": "concise", "detailed": "detailed", "none": "", "long": "auto"} {
		if got := string(summaryOf(model.Tuning{Summary: summary})); got != want {
			t.Errorf("summary %q asks for %q, want %q", summary, got, want)
		}
	}
}

// Reasoning itself does not go back as if it were a summary.
func TestOnlySummariesComeBack(t *testing.T) {
	responsesSubject.FollowUp(t, "responses_follow_up_raw", modeltest.Stream(modeltest.Thinking("Hm."), modeltest.Signature("c2ln"), modeltest.Call("c", "read", `{}`)))
}

// A signature that came with an answer goes back with the next request, as it was.
func TestSignaturesComeBack(t *testing.T) {
	for _, test := range []struct {
		name    string
		subject modeltest.Subject
		reply   modeltest.Reply
	}{
		{"chat_follow_up", chatSubject, modeltest.Stream(modeltest.Thinking("Hm."), modeltest.Call("c", "read", `{}`))},
		{"responses_follow_up", responsesSubject, modeltest.Stream(modeltest.Summary("Hm."), modeltest.Signature("c2ln"), modeltest.Call("c", "read", `{}`))},
		{"gemini_follow_up", chatSubject, modeltest.Stream(modeltest.Raw(`data: {"choices":[{"delta":{"tool_calls":[` +
			`{"index":0,"id":"c","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}}]}}]}` + "\n\n"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.subject.FollowUp(t, test.name, test.reply)
		})
	}
}

func TestStrict(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`:                                                true,
		`{"type":"object","properties":{},"additionalProperties":false}`:                                                                                      true,
		`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]}},"required":["a"],"additionalProperties":false}`:                     true,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{}}}},"required":["a"],"additionalProperties":false}`:       false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`:                                                   false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                                                             false,
		`{"type":"object","properties":{"a":{"type":"string","format":"uri"}},"required":["a"],"additionalProperties":false}`:                                 false,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"b":{"type":"null"}}}]}},"required":["a"],"additionalProperties":false}`: false,
		`{"type":"string"}`: false,
		`{}`:                false,
	} {
		if got := strict(jsontext.Value(schema)); got != want {
			t.Errorf("strict(%s) = %v", schema, got)
		}
	}
}
