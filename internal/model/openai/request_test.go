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
	thought := model.Block{Kind: model.KindThinking, Text: "Hm.", Signature: reasoningItem{ID: "rs_1", Encrypted: "c2ln"}.signature()}
	responsesSubject.Golden(t, "responses", modeltest.Conversation(thought))
	responsesSubject.Golden(t, "responses_hello", modeltest.Hello())
}

// A signature that came with an answer goes back with the next request, as it was.
func TestSignaturesComeBack(t *testing.T) {
	for _, test := range []struct {
		name    string
		subject modeltest.Subject
		reply   modeltest.Reply
	}{
		{"chat_follow_up", chatSubject, modeltest.Stream(modeltest.Thinking("Hm."), modeltest.Call("c", "read", `{}`))},
		{"responses_follow_up", responsesSubject, modeltest.Stream(modeltest.Thinking("Hm."), modeltest.Signature("c2ln"), modeltest.Call("c", "read", `{}`))},
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
