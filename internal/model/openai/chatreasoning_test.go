package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// replayCases are answers as endpoints stream their reasoning, and what they are read as. The next
// request has it in the file that the case names.
var replayCases = []struct {
	name, profile string
	reply         modeltest.Reply
	want          []model.Block
}{
	{
		"mistral_parts", "mistral",
		chunks(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]}]}`, `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"mm"}]}]}`,
			`{"content":[{"type":"text","text":"ans"}]}`, `{"content":"wer"}`),
		[]model.Block{{Kind: model.KindThinking, Text: "hmm", Signature: "content"}, model.TextBlock("answer")},
	},
	{
		"mistral_parts_call", "mistral",
		chunks(`{"content":[{"type":"thinking","thinking":"hmm"},{"type":"reference","reference_ids":[1]}]}`, `{"tool_calls":[{"index":0,"id":"Abcdefgh1","function":{"name":"read","arguments":"{}"}}]}`),
		[]model.Block{{Kind: model.KindThinking, Text: "hmm", Signature: "content"}, toolCall("Abcdefgh1", "read", `{}`)},
	},
	{
		"openrouter_encrypted", "openrouter",
		chunks(`{"reasoning":"t","reasoning_details":[{"type":"reasoning.encrypted","id":"call_1","data":"SIG","format":"google-gemini-v1","index":0}]}`,
			`{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"read","arguments":"{}"}}]}`),
		[]model.Block{
			{Kind: model.KindThinking, Text: "t", Signature: `reasoning_details:{"details":[{"data":"SIG","format":"google-gemini-v1","id":"call_1","index":0,"type":"reasoning.encrypted"}],"calls":["call_1"]}`},
			toolCall("call_1", "read", `{}`),
		},
	},
	{
		"openrouter_details_alone", "openrouter",
		chunks(`{"reasoning_details":[{"type":"reasoning.text","text":"H","format":"anthropic-claude-v1","index":0}]}`, `{"reasoning_details":[{"type":"reasoning.text","text":"m.","index":0}]}`,
			`{"reasoning_details":[{"type":"reasoning.text","signature":"c2ln","text":null,"index":0}]}`, `{"content":"So."}`,
			`{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"read","arguments":"{}"}}]}`),
		[]model.Block{
			{Kind: model.KindThinking, Text: "Hm.", Signature: `reasoning_details:{"details":[{"format":"anthropic-claude-v1","index":0,"signature":"c2ln","text":"Hm.","type":"reasoning.text"}],"calls":["call_1"]}`},
			model.TextBlock("So."), toolCall("call_1", "read", `{}`),
		},
	},
	{
		"openrouter_silent", "openrouter",
		chunks(`{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"read","arguments":"{}"}}]}`, `{"reasoning_details":[{"type":"reasoning.encrypted","data":"SIG"}]}`),
		[]model.Block{toolCall("call_1", "read", `{}`), {Kind: model.KindThinking, Signature: `reasoning_details:{"details":[{"data":"SIG","type":"reasoning.encrypted"}],"calls":["call_1"]}`}},
	},
	{
		"gemini_thoughts", "gemini",
		chunks(`{"content":"\u003cthought\u003eA ","extra_content":{"google":{"thought":true}}}`, `{"content":"plan.","extra_content":{"google":{"thought":true}}}`,
			`{"content":"\u003c/thought\u003eSo."}`, `{"content":" Done.","extra_content":{"google":{"thought_signature":"c2ln"}}}`),
		[]model.Block{{Kind: model.KindThinking, Text: "A plan."}, model.TextBlock("So. Done."), {Kind: model.KindThinking, Signature: "google:#:c2ln"}},
	},
	{
		"gemini_thought_whole", "gemini",
		chunks(`{"content":"<thought>A plan.</thought>So.","extra_content":{"google":{"thought":true}}}`),
		[]model.Block{{Kind: model.KindThinking, Text: "A plan."}, model.TextBlock("So.")},
	},
	{
		"gemini_signature_later", "gemini",
		chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}]}`, `{"tool_calls":[{"index":1,"id":"b","function":{"name":"read","arguments":"{}"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":""},"extra_content":{"google":{"thought_signature":"c2ln"}}}]}`),
		[]model.Block{toolCall("a", "read", `{}`), toolCall("b", "read", `{}`), {Kind: model.KindThinking, Signature: "google:#0:c2ln"}},
	},
	{
		"gemini_signature_beside", "gemini",
		chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}],"extra_content":{"google":{"thought_signature":"c2ln"}}}`),
		[]model.Block{toolCall("a", "read", `{}`), {Kind: model.KindThinking, Signature: "google:#0:c2ln"}},
	},
}

// Reasoning is read in the forms in which endpoints stream it, and goes back in the same form.
func TestReasoningComesBack(t *testing.T) {
	for _, test := range replayCases {
		t.Run(test.name, func(t *testing.T) {
			subject := chatAt(test.profile)
			got := answerTo(t, subject, test.reply)
			if diff := cmp.Diff(test.want, got.Message.Blocks); diff != "" {
				t.Fatalf("-want +got:\n%s", diff)
			}
			subject.FollowUp(t, test.name, test.reply)
		})
	}
}

// A detail names the call that it belongs to by the id that the call has in the request. from is the
// one that the server gave it, twice in the conversation.
func TestDetailsNameTheirCall(t *testing.T) {
	const from = "tool_0_read"
	thought := model.Block{Kind: model.KindThinking, Signature: `reasoning_details:{"details":[{"id":"tool_0_read","data":"SIG","type":"reasoning.encrypted"},{"id":"other","data":"x"}],"calls":["tool_0_read"]}`}
	for _, id := range []string{from, "call_2"} {
		details := detailsOf(model.Message{Role: model.Assistant, Blocks: []model.Block{toolCall(id, "read", `{}`), thought}})
		if len(details) != 2 || string(details[0]["id"]) != `"`+id+`"` || string(details[1]["id"]) != `"other"` {
			t.Errorf("the call is %s, the details are %s", id, details)
		}
	}
}
