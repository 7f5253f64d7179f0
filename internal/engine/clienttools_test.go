package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestClientTools: the client runs the calls of its tools; a long result is cut for the model and
// kept, and a tool that was replaced is unknown.
func TestClientTools(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "lookup", `{"key":"x"}`)), say("ok"), call(toolCall("b", "lookup", `{}`)), say("ok"))
	s := b.session(t, nil)
	lookup := &ClientTool{
		ToolName: "lookup", About: "Looks up a key.", Input: jsontext.Value(`{"type":"object"}`),
		Handle: func(_ context.Context, c ClientCall) ClientResult {
			if c.ID != "a" || string(c.Input) != `{"key":"x"}` {
				t.Errorf("called %s with %s", c.ID, c.Input)
			}
			c.Output("looking")
			return ClientResult{Text: strings.Repeat("x", tool.MaxText+1) + "\xff", Reply: jsontext.Value(`{"details":{"n":1}}`)}
		},
	}
	if err := s.anyClient().UseTools([]*ClientTool{lookup}); err != nil {
		t.Fatal(err)
	}
	records := turnOf(t, s, "go", nil)
	ended(t, records)
	got := result(t, records, "a")
	if got.Outcome != event.Succeeded || len(got.Output) > tool.MaxText+200 || got.Reply == nil || string(got.Reply.Content) != `{"details":{"n":1}}` {
		t.Errorf("%s, %d bytes, reply %v", got.Outcome, len(got.Output), got.Reply)
	}
	if output := find[event.ToolOutput](records); len(output) != 1 || output[0].Text != "looking" {
		t.Errorf("output %v", output)
	}
	if specs := b.requests()[0].Tools; len(specs) != 1 || specs[0].Name != "lookup" || specs[0].Description != "Looks up a key." {
		t.Errorf("the model is offered %v", specs)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.anyClient().UseTools(nil); err != nil {
		t.Fatal(err)
	}
	records = turnOf(t, s, "go", nil)
	ended(t, records)
	if got := result(t, records, "b"); got.Outcome != event.Failed || got.Output != "unknown tool: lookup; there are no tools" {
		t.Errorf("%s: %s", got.Outcome, got.Output)
	}
}

// TestClientToolsRefused: a list with a tool that cannot be offered changes nothing.
func TestClientToolsRefused(t *testing.T) {
	client := func(name, schema string) *ClientTool {
		return &ClientTool{ToolName: name, About: "A tool.", Input: jsontext.Value(schema)}
	}
	s := newBench(t, []fakeTool{lookTool()}).session(t, nil)
	if err := s.anyClient().UseTools([]*ClientTool{client("first", `{}`)}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, schema, problem string }{
		{"", `{}`, "the name"},
		{"two words", `{}`, "the name"},
		{strings.Repeat("x", 65), `{}`, "the name"},
		{"look", `{}`, "another tool"},
		{"second", `{}`, "another tool"},
		{"a", `[]`, "not a JSON object"},
		{"a", `{"type":7}`, "schema"},
		{"a", `{"$ref":"https://example.com/schema"}`, "schema"},
	} {
		err := s.anyClient().UseTools([]*ClientTool{client("second", `{}`), client(c.name, c.schema)})
		if err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q with %s: %v, want %q", c.name, c.schema, err, c.problem)
		}
	}
	var names []string
	for _, info := range s.Context().Tools() {
		names = append(names, info.Name)
	}
	equal(t, "the tools", names, []string{"first", "look"})
}

// TestClientToolInterrupted: a turn does not wait for a client that does not answer.
func TestClientToolInterrupted(t *testing.T) {
	called := make(chan struct{})
	s := newBench(t, nil, call(toolCall("a", "wait", `{}`))).session(t, nil)
	err := s.anyClient().UseTools([]*ClientTool{{
		ToolName: "wait", About: "Waits.", Input: jsontext.Value(`{}`),
		Handle: func(ctx context.Context, _ ClientCall) ClientResult {
			close(called)
			<-ctx.Done()
			return ClientResult{Text: "cancelled", IsError: true}
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-called
	s.Interrupt()
	turn := untilEnd(t, records, nil)
	if end := ended(t, turn); end.Reason != event.TurnInterrupted || result(t, turn, "a").Outcome != event.Interrupted {
		t.Errorf("%+v, the call ended %s", end, result(t, turn, "a").Outcome)
	}
}
