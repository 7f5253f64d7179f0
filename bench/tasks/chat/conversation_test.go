package chat

import (
	"net/http/httptest"
	"strings"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// requests are the same conversation on each wire.
var requests = map[modeltest.Wire]string{
	modeltest.Anthropic: `{"system":[{"type":"text","text":"Be brief."}],
		"tools":[{"name":"read","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],
		"messages":[{"role":"user","content":[{"type":"text","text":"Look."}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"found"}],"is_error":true}]}]}`,
	modeltest.OpenAIChat: `{"tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}],
		"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Look."},
			{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"found"}]}`,
	modeltest.OpenAIResponses: `{"instructions":"Be brief.","tools":[{"type":"function","name":"read","parameters":{"type":"object"}}],
		"input":[{"role":"user","content":[{"type":"input_text","text":"Look."}]},
			{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":"found"}]}`,
}

func TestParse(t *testing.T) {
	for wire, body := range requests {
		c, err := Parse(wire, []byte(body))
		if err != nil {
			t.Errorf("%s: %v", wire, err)
			continue
		}
		if c.System != "Be brief." || !c.Offers("read") || c.Offers("write") {
			t.Errorf("%s: the system prompt is %q, the tools are %v", wire, c.System, c.Tools)
		}
		if r, ok := c.Result("c1"); !ok || r.Text != "found" || r.Failed != (wire == modeltest.Anthropic) {
			t.Errorf("%s: the result is %+v, %v", wire, r, ok)
		}
		if last := strings.TrimSpace(c.Last()); last != "found" || !strings.Contains(c.Text(), "Look.") {
			t.Errorf("%s: what follows the answer is %q in %q", wire, last, c.Text())
		}
		if c.HeadSize()+c.HistorySize() != c.Size() || c.CommonPrefix(c) != c.Size() {
			t.Errorf("%s: the sizes are %d, %d and %d", wire, c.HeadSize(), c.HistorySize(), c.Size())
		}
	}
}

func TestCommonPrefix(t *testing.T) {
	parse := func(body string) *Conversation {
		c, err := Parse(modeltest.Anthropic, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	whole := requests[modeltest.Anthropic]
	c := parse(whole)
	if marked := parse(strings.Replace(whole, `,"cache_control":{"type":"ephemeral"}`, "", 1)); c.CommonPrefix(marked) != c.Size() {
		t.Error("a mark for the cache changes the prefix")
	}
	if other := parse(strings.Replace(whole, "Be brief.", "Be exact.", 1)); c.CommonPrefix(other) != len(c.all[0]) {
		t.Errorf("with another system prompt %d bytes are common, want those of the tool, %d", c.CommonPrefix(other), len(c.all[0]))
	}
	if other := parse(strings.Replace(whole, "found", "other", 1)); c.CommonPrefix(other) != c.Size()-len(c.all[4]) {
		t.Errorf("with another result %d bytes of %d are common", c.CommonPrefix(other), c.Size())
	}
}

func TestAnswerIsCut(t *testing.T) {
	a := Answer{Limit: 10, Calls: []Call{{ID: "c1", Name: "write", Input: Input{"content": strings.Repeat("x", 100)}}}}
	if !a.Cut() || a.Size() != 10 {
		t.Errorf("the answer has %d bytes, cut: %v", a.Size(), a.Cut())
	}
	for wire, want := range map[modeltest.Wire]string{
		modeltest.Anthropic: `"max_tokens"`, modeltest.OpenAIChat: `"length"`, modeltest.OpenAIResponses: `"max_output_tokens"`,
	} {
		w := httptest.NewRecorder()
		if err := a.Write(w, wire, 1); err != nil {
			t.Fatal(err)
		}
		if got := w.Body.String(); !strings.Contains(got, want) || strings.Contains(got, strings.Repeat("x", 11)) {
			t.Errorf("%s: the answer is %s", wire, got)
		}
	}
}
