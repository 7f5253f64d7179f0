package openai

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
	"parley.dev/parley/internal/model/profile"
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

// Schemas of tools are sent as the endpoint takes them.
func TestForeignTools(t *testing.T) {
	chatAt("compatible").Golden(t, "tools_compatible", modeltest.ForeignTools())
	chatAt("gemini").Golden(t, "tools_gemini", modeltest.ForeignTools())
	responsesSubject.Golden(t, "tools_responses", modeltest.ForeignTools())
}

// chatAt returns a client of an endpoint with the profile of that name.
func chatAt(name string) modeltest.Subject {
	return modeltest.Subject{
		Wire: modeltest.OpenAIChat,
		New: func(c modeltest.Client) model.Provider {
			o := optionsFor(c)
			o.Profile = name
			return NewChat(o)
		},
	}
}

func TestCompatibleRequest(t *testing.T) {
	compatible := chatAt("compatible")
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

var outputSchema = []byte(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],"additionalProperties":false}`)

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

	described := modeltest.Hello()
	described.Tuning.OutputSchema = outputSchema
	responsesSubject.Golden(t, "responses_output_schema", described)
	described.Tuning.OutputSchema = []byte(`{"type":"object"}`) // not closed, hence not strict
	chatSubject.Golden(t, "chat_output_schema", described)

	for _, test := range []struct {
		model   string
		level   model.Thinking
		profile string
		want    bool // the temperature is sent
	}{
		{"gpt-4o", "", "openai", true},
		{"gpt-4o", model.Off, "openai", true},
		{"gpt-5-chat-latest", "", "openai", true},
		{"o3", "", "openai", false},
		{"gpt-5.2", "", "openai", false},
		{"openai/gpt-5-mini", "", "compatible", false},
		{"my-deployment", model.High, "azure", false},
		{"my-deployment", "", "azure", true},
		{"gpt-oss-20b", model.High, "compatible", true},
		{"qwen3-coder", "", "compatible", true},
		{"", "", "openai", true},
	} {
		at := Options{Profile: test.profile}.profile(profile.Chat, test.model)
		got := temperature(&at, &model.Request{Model: test.model, Thinking: test.level, Tuning: model.Tuning{Temperature: &warm}})
		if (got != nil) != test.want {
			t.Errorf("%q %q at %s: %v", test.model, test.level, test.profile, got)
		}
	}
	for summary, want := range map[string]string{"": "auto", "auto": "auto", "concise": "concise", "detailed": "detailed", "none": "", "long": "auto"} {
		if got := summaryOf(model.Tuning{Summary: summary}); got != want {
			t.Errorf("summary %q asks for %q, want %q", summary, got, want)
		}
	}
}

// The reasoning of a model that reasons at its own default comes encrypted, so that it can go back.
func TestReasoningIsIncluded(t *testing.T) {
	r := NewResponses(Options{Profile: "compatible"})
	for _, test := range []struct {
		req  model.Request
		want int
	}{
		{model.Request{Model: "gpt-5.6-sol"}, 1},
		{model.Request{Model: "gpt-5.6-sol", Thinking: model.Off}, 1},
		{model.Request{Model: "house-1", Reasons: true}, 1},
		{model.Request{Model: "house-1", Thinking: model.Low}, 1},
		{model.Request{Model: "house-1"}, 0},
		{model.Request{Model: "gpt-4.1"}, 0},
	} {
		if got := len(r.params(&test.req).Include); got != test.want {
			t.Errorf("%+v: %d", test.req, got)
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
		{"chat_follow_up", chatAt("compatible"), modeltest.Stream(modeltest.Thinking("Hm."), modeltest.Call("c", "read", `{}`))},
		{"responses_follow_up", responsesSubject, modeltest.Stream(modeltest.Summary("Hm."), modeltest.Signature("c2ln"), modeltest.Call("c", "read", `{}`))},
		{"gemini_follow_up", chatAt("gemini"), modeltest.Stream(modeltest.Raw(`data: {"choices":[{"delta":{"tool_calls":[` +
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
		`{"type":"object","properties":{"a":{"type":"string","enum":[]}},"required":["a"],"additionalProperties":false}`:                                      false,
		`{"type":"string"}`: false,
		`{}`:                false,
	} {
		if got := strict(jsontext.Value(schema)); got != want {
			t.Errorf("strict(%s) = %v", schema, got)
		}
	}
}

// An organisation that is not verified gets no summaries: the request is sent again without, and
// later ones ask for none.
func TestRefusedSummary(t *testing.T) {
	server := modeltest.NewServer(t,
		modeltest.Refuse(400, `{"error":{"message":"Your organization must be verified to generate reasoning summaries.","code":"unsupported_value","param":"reasoning.summary"}}`),
		modeltest.Stream(modeltest.Text("one")), modeltest.Stream(modeltest.Text("two")))
	p := responsesSubject.New(modeltest.Client{BaseURL: server.URL + "/v1", Key: modeltest.Key})
	req := modeltest.Hello()
	req.Model, req.Thinking = "gpt-5.6-sol", model.High
	for range 2 {
		for _, err := range p.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var summaries []any
	for _, sent := range server.Requests() {
		summaries = append(summaries, sent.Body["reasoning"].(map[string]any)["summary"])
	}
	if diff := cmp.Diff([]any{"auto", nil, nil}, summaries); diff != "" {
		t.Error(diff)
	}
}
