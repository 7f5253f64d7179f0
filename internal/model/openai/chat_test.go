package openai

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// answerTo returns what p makes of a reply.
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

// Compatible servers send tool calls in many forms.
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
		{"indexes are strings", chunks(
			`{"tool_calls":[{"index":"0","id":"a","function":{"name":"x"}},{"index":"1","id":"b","function":{"name":"y"}}]}`,
			`{"tool_calls":[{"index":"1","function":{"arguments":"{\"m\":2}"}}]}`, `{"tool_calls":[{"index":"0","function":{"arguments":"{}"}}]}`,
		), []model.Block{toolCall("a", "x", `{}`), toolCall("b", "y", `{"m":2}`)}},
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
		{"name in two pieces", chunks(
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"glob_"}}]}`, `{"tool_calls":[{"index":0,"function":{"name":"search"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`,
		), []model.Block{toolCall("a", "glob_search", `{}`)}},
		{"name that grows, then stays", chunks(
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"glob_"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"glob_search"}}]}`,
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"glob_search","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"glob_","arguments":"}"}}]}`,
		), []model.Block{toolCall("a", "glob_search", `{}`)}},
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
	usage := `data: {"choices":[],"usage":{"prompt_tokens":10.0,"completion_tokens":2.0,"prompt_cache_hit_tokens":4,"completion_tokens_details":{"reasoning_tokens":null}}}` + "\n\n"
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

// TestChatUsage reads what servers report of tokens: with the reasoning outside of the completion, the
// writes to the cache among the reads, or at another place.
func TestChatUsage(t *testing.T) {
	for _, test := range []struct {
		server, profile, chunk string
		want                   model.Usage
	}{
		{
			"OpenAI", "", `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":520,"total_tokens":620,"completion_tokens_details":{"reasoning_tokens":500}}}`,
			model.Usage{Input: 100, Output: 520, Thinking: 500},
		},
		{
			"xAI", "", `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":620,"completion_tokens_details":{"reasoning_tokens":500}}}`,
			model.Usage{Input: 100, Output: 520, Thinking: 500},
		},
		{
			"Gemini", "", `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":620}}`,
			model.Usage{Input: 100, Output: 520},
		},
		{
			"OpenRouter, Claude", "", `{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":5,"total_tokens":1005,"prompt_tokens_details":{"cached_tokens":900,"cache_write_tokens":500}}}`,
			model.Usage{Input: 100, Output: 5, CacheRead: 400, CacheWrite: 500},
		},
		{
			"OpenRouter, few", "openrouter", `{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":5,"total_tokens":1005,"prompt_tokens_details":{"cached_tokens":600,"cache_write_tokens":300}}}`,
			model.Usage{Input: 400, Output: 5, CacheRead: 300, CacheWrite: 300},
		},
		{
			"Moonshot", "", `{"choices":[{"delta":{},"usage":{"prompt_tokens":100,"completion_tokens":20,"cached_tokens":60}}]}`,
			model.Usage{Input: 40, Output: 20, CacheRead: 60},
		},
		{
			"Groq", "", `{"choices":[],"x_groq":{"id":"r","usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}}`,
			model.Usage{Input: 100, Output: 20},
		},
		{
			"a total that is too small", "", `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":20}}`,
			model.Usage{Input: 100, Output: 20},
		},
	} {
		subject := chatSubject
		subject.New = func(c modeltest.Client) model.Provider {
			o := optionsFor(c)
			o.Profile = test.profile
			return NewChat(o)
		}
		got := answerTo(t, subject, modeltest.Stream(modeltest.Text("a"), modeltest.Raw("data: "+test.chunk+"\n\n")))
		if diff := cmp.Diff(test.want, got.Usage); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.server, diff)
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

// TestCharged reads what OpenRouter charges; of other servers the number may be anything.
func TestCharged(t *testing.T) {
	for _, test := range []struct {
		profile, usage string
		want           float64
	}{
		{"openrouter", `"cost":0.0125,"cost_details":{"upstream_inference_cost":0.5}`, 0.0125},
		{"openrouter", `"cost":0.0125,"is_byok":true,"cost_details":{"upstream_inference_cost":0.5}`, 0.5125},
		{"openrouter", `"cost":null,"cost_details":{"upstream_inference_cost":null}`, 0},
		{"openrouter", `"cost":{"total":1}`, 0},
		{"openrouter", `"cost":-1`, 0},
		{"compatible", `"cost":0.0125`, 0},
	} {
		subject := chatSubject
		subject.New = func(c modeltest.Client) model.Provider {
			o := optionsFor(c)
			o.Profile = test.profile
			return NewChat(o)
		}
		got := answerTo(t, subject, modeltest.Stream(modeltest.Text("a"), modeltest.Raw(`data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,`+test.usage+"}}\n\n")))
		if got.Cost != test.want || got.Usage.Input != 10 {
			t.Errorf("%s, %s: %v, %+v", test.profile, test.usage, got.Cost, got.Usage)
		}
	}
}

// TestWholeAnswers reads answers of gateways that cannot stream: one JSON document, or one event with a
// message in place of a delta.
func TestWholeAnswers(t *testing.T) {
	chat := `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","refusal":null,"reasoning_content":"Hm",` +
		`"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`
	response := `{"id":"r","object":"response","status":"completed","model":"m","error":null,"incomplete_details":null,"output":[` +
		`{"type":"reasoning","id":"r1","summary":[{"type":"summary_text","text":"Hm"}]},{"type":"message","content":[{"type":"output_text","text":"Hi"}]},` +
		`{"type":"function_call","call_id":"a","name":"x","arguments":"{}"}],"usage":{"input_tokens":7,"output_tokens":3}}`
	lines := `{"model":"m","choices":[{"index":"0","delta":{"reasoning_content":"Hm"}}]}` + "\n" +
		`{"choices":[{"index":"0","delta":{"content":"Hi"}}]}` + "\n" +
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]},"finish_reason":"tool_calls"}],` +
		`"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}` + "\n"
	for _, test := range []struct {
		name    string
		subject modeltest.Subject
		reply   modeltest.Reply
	}{
		{"newline-delimited JSON", chatSubject, modeltest.Refuse(200, lines, "Content-Type", "application/x-ndjson")},
		{"newline-delimited JSON as a document", chatSubject, modeltest.Refuse(200, lines, "Content-Type", "application/json")},
		{"newline-delimited JSON as events", chatSubject, modeltest.Refuse(200, lines+"data: [DONE]\n\n", "Content-Type", "text/event-stream")},
		{"chat document", chatSubject, modeltest.Refuse(200, chat, "Content-Type", "application/json; charset=utf-8")},
		{"chat event", chatSubject, modeltest.Refuse(200, "data: "+chat+"\n\ndata: [DONE]\n\n", "Content-Type", "text/event-stream")},
		{"responses document", responsesSubject, modeltest.Refuse(200, response, "Content-Type", "application/json")},
	} {
		got := answerTo(t, test.subject, test.reply)
		if got.Message.Text() != "Hi" || len(got.Message.Calls()) != 1 || got.Message.Blocks[0].Text != "Hm" || got.Stop != model.StopTools ||
			got.Usage.Input != 7 || got.Usage.Output != 3 || got.Model != "m" {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// TestUnfinished checks that an answer that the server could not finish is a failure.
func TestUnfinished(t *testing.T) {
	for _, test := range []struct {
		name    string
		subject modeltest.Subject
		stream  string
		kind    model.ErrorKind
	}{
		{"an error in the choice", chatSubject, `{"choices":[{"delta":{"content":"Half"},"error":{"code":502,"message":"Upstream"},"finish_reason":"error"}]}`, model.Overloaded},
		{"incomplete without a reason", responsesSubject, `{"type":"response.incomplete","response":{"incomplete_details":null}}`, model.BrokenStream},
		{"completed with status failed", responsesSubject, `{"type":"response.completed","response":{"status":"failed"}}`, model.Overloaded},
		{"completed with status cancelled", responsesSubject, `{"type":"response.completed","response":{"status":"cancelled"}}`, model.Overloaded},
	} {
		server := modeltest.NewServer(t, modeltest.Refuse(200, "data: "+test.stream+"\n\n", "Content-Type", "text/event-stream"))
		p := test.subject.New(modeltest.Client{BaseURL: test.subject.Wire.BaseURL(server.URL), Key: modeltest.Key})
		var failed *model.Error
		for _, err := range p.Stream(t.Context(), modeltest.Hello()) {
			failed, _ = errors.AsType[*model.Error](err)
		}
		if failed == nil || failed.Kind != test.kind {
			t.Errorf("%s: %v, want %s", test.name, failed, test.kind)
		}
	}
}
