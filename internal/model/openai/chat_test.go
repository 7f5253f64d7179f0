package openai

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// answerTo is what p makes of a reply.
func answerTo(t *testing.T, s modeltest.Subject, reply modeltest.Reply) *model.Response {
	t.Helper()
	p := s.New(modeltest.Client{BaseURL: s.Wire.BaseURL(modeltest.NewServer(t, reply).URL), Key: modeltest.Key})
	for d, err := range p.Stream(t.Context(), modeltest.Hello()) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Kind == model.Done {
			return d.Response
		}
	}
	t.Fatal("no Done")
	return nil
}

func chunks(deltas ...string) modeltest.Reply {
	all := ""
	for _, d := range deltas {
		all += `data: {"choices":[{"delta":` + d + `}]}` + "\n\n"
	}
	return modeltest.Stream(modeltest.Raw(all))
}

func toolCall(id, name, input string) model.Block {
	return model.Block{Kind: model.KindToolCall, Call: &model.Call{ID: id, Name: name, Input: jsontext.Value(input)}}
}

// Compatible servers tell tool calls in many ways.
func TestChatTolerance(t *testing.T) {
	for _, test := range []struct {
		name  string
		reply modeltest.Reply
		want  []model.Block
	}{
		{"no index, whole calls", chunks(
			`{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}},{"id":"b","function":{"name":"y","arguments":"{}"}}]}`,
		), []model.Block{toolCall("a", "x", `{"n":1}`), toolCall("b", "y", `{}`)}},
		{"no index, no id", chunks(
			`{"tool_calls":[{"function":{"name":"x","arguments":"{\"n\""}}]}`, `{"tool_calls":[{"function":{"arguments":":1}"}}]}`,
			`{"tool_calls":[{"function":{"name":"y","arguments":null}}]}`,
		), []model.Block{toolCall("call_1_0", "x", `{"n":1}`), toolCall("call_1_1", "y", `{}`)}},
		{"every index is 0", chunks(
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"y","arguments":"{}"}}]}`,
		), []model.Block{toolCall("a", "x", `{}`), toolCall("b", "y", `{}`)}},
		{"id and name repeated", chunks(
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\""}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":":1}"}}]}`,
		), []model.Block{toolCall("a", "x", `{"n":1}`)}},
		{"interleaved", chunks(
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x"}},{"index":1,"id":"b","function":{"name":"y"}}]}`,
			`{"tool_calls":[{"index":1,"function":{"arguments":"{\"m\":2}"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\":1}"}}]}`,
		), []model.Block{toolCall("a", "x", `{"n":1}`), toolCall("b", "y", `{"m":2}`)}},
		{"id later", chunks(
			`{"tool_calls":[{"index":0,"function":{"name":"x","arguments":""}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{\"n\":1}"}}]}`,
		), []model.Block{toolCall("call_1_0", "x", `{"n":1}`)}},
		{"arguments as an object", chunks(
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":{"n": 1}}}]}`,
		), []model.Block{toolCall("a", "x", `{"n": 1}`)}},
		{"nulls and strangers", chunks(
			`null`, `{"content":null,"tool_calls":null,"reasoning":null,"function_call":null,"annotations":[1]}`, `{"content":"a","content":"b"}`,
		), []model.Block{model.TextBlock("b")}},
		{"reasoning by its other name", chunks(
			`{"reasoning":"Hm","reasoning_content":""}`, `{"reasoning":"m."}`, `{"content":"So."}`,
		), []model.Block{{Kind: model.KindThinking, Text: "Hmm.", Signature: "reasoning"}, model.TextBlock("So.")}},
		{"text, call, text", chunks(
			`{"content":"a"}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}`, `{"content":"b"}`,
		), []model.Block{model.TextBlock("a"), toolCall("a", "x", `{}`), model.TextBlock("b")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := answerTo(t, chatSubject, test.reply)
			if diff := cmp.Diff(test.want, got.Message.Blocks); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if calls := len(got.Message.Calls()) > 0; (got.Stop == model.StopTools) != calls {
				t.Errorf("stop %q", got.Stop)
			}
		})
	}
}

// Any of the two ways to end is enough; see the suite for none.
func TestChatEnds(t *testing.T) {
	finish := `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\n"
	usage := `data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_cache_hit_tokens":4}}` + "\n\n"
	for name, reply := range map[string]modeltest.Reply{
		"no [DONE]":        modeltest.Stream(modeltest.Raw(finish+usage), modeltest.End()),
		"no finish reason": modeltest.Stream(modeltest.Raw(`data: {"choices":[{"delta":{"content":"a"}}]}`+"\n\n"+usage+"data: [DONE]"), modeltest.End()),
	} {
		got := answerTo(t, chatSubject, reply)
		if got.Message.Text() != "a" || got.Usage != (model.Usage{Input: 6, Output: 2, CacheRead: 4}) || got.Stop != model.StopEnd {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Servers that resemble the Responses wire leave out deltas, indexes or whole events.
func TestResponsesTolerance(t *testing.T) {
	event := func(data string) string { return "data: " + data + "\n\n" }
	last := event(`{"type":"response.completed","response":{"model":"m","usage":null}}`)
	for _, test := range []struct {
		name   string
		stream string
		want   []model.Block
		stop   model.Stop
	}{
		{
			"only whole items", event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r","summary":[{"text":"a"},{"text":"b"}]}}`) +
				event(`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"c"}]}}`) +
				event(`{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"x","name":"t","arguments":"{}"}}`),
			[]model.Block{{Kind: model.KindThinking, Text: "a\n\nb", Summary: true}, model.TextBlock("c"), toolCall("x", "t", `{}`)},
			model.StopTools,
		},
		{
			"no index", event(`{"type":"response.output_item.added","item":{"type":"message"}}`) + event(`{"type":"response.output_text.delta","delta":"a"}`) +
				event(`{"type":"response.output_item.added","item":{"type":"function_call","call_id":"x","name":"t"}}`) + event(`{"type":"response.function_call_arguments.delta","delta":"{}"}`),
			[]model.Block{model.TextBlock("a"), toolCall("x", "t", `{}`)},
			model.StopTools,
		},
		{
			"an unknown item", event(`{"type":"response.output_item.added","output_index":0,"item":{"type":"web_search_call"}}`) +
				event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"web_search_call"}}`) + event(`{"type":"response.output_text.delta","output_index":1,"delta":"a"}`),
			[]model.Block{model.TextBlock("a")},
			model.StopEnd,
		},
		{
			"summary in parts", event(`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"a"}`) +
				event(`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"b"}`),
			[]model.Block{{Kind: model.KindThinking, Text: "a\n\nb", Summary: true}},
			model.StopEnd,
		},
		{
			"reasoning in parts", event(`{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"a"}`) +
				event(`{"type":"response.reasoning_text.delta","output_index":0,"content_index":1,"delta":"b"}`),
			[]model.Block{{Kind: model.KindThinking, Text: "a\n\nb"}},
			model.StopEnd,
		},
		{
			"a summary beside the reasoning", event(`{"type":"response.reasoning_text.delta","output_index":0,"delta":"a"}`) +
				event(`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"in "}`) + event(`{"type":"response.reasoning_text.delta","output_index":0,"delta":"b"}`) +
				event(`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"short"}`) +
				event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r","summary":[{"text":"in short"}],"content":[{"text":"ab"}],"encrypted_content":"c2ln"}}`),
			[]model.Block{{Kind: model.KindThinking, Text: "ab"}, {Kind: model.KindThinking, Text: "in short", Summary: true, Signature: `openai:{"id":"r","encrypted_content":"c2ln"}`}},
			model.StopEnd,
		},
		{
			"a whole item of both", event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r","summary":[{"text":"in short"},{"text":null}],"content":[{"text":"a"},{"text":"b"}]}}`),
			[]model.Block{{Kind: model.KindThinking, Text: "in short", Summary: true}, {Kind: model.KindThinking, Text: "a\n\nb"}},
			model.StopEnd,
		},
		{"refusal", event(`{"type":"response.refusal.delta","output_index":0,"delta":"No."}`), []model.Block{model.TextBlock("No.")}, model.StopRefused},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := answerTo(t, responsesSubject, modeltest.Stream(modeltest.Raw(test.stream+last), modeltest.End()))
			if diff := cmp.Diff(test.want, got.Message.Blocks); diff != "" || got.Stop != test.stop {
				t.Errorf("stop %q (-want +got):\n%s", got.Stop, diff)
			}
		})
	}
}
