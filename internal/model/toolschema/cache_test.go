package toolschema

import (
	"context"
	"iter"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

func called(input string) model.Message {
	return model.Message{Role: model.Assistant, Blocks: []model.Block{
		model.TextBlock("I look."), {Kind: model.KindToolCall, Call: &model.Call{ID: "1", Name: "find", Input: jsontext.Value(input)}},
	}}
}

// The endpoint reads and writes names that it takes, the engine those of the tool.
func TestStream(t *testing.T) {
	var sent *model.Request
	send := func(_ context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
		sent = req
		return func(yield func(model.Delta, error) bool) {
			_ = yield(model.Delta{Kind: model.TextDelta, Text: "I look."}, nil) &&
				yield(model.Delta{Kind: model.Done, Response: &model.Response{Message: called(`{"_filter":"b"}`)}}, nil)
		}
	}
	ask := func() *model.Request {
		return &model.Request{
			Messages: []model.Message{model.UserText("Find."), called(`{"$filter":"a"}`)},
			Tools: []model.ToolSpec{
				{Name: "find", Schema: jsontext.Value(`{"type":"object","properties":{"$filter":{}}}`)},
				{Name: "list", Schema: jsontext.Value(`{"type":"object"}`)},
			},
		}
	}
	var c Cache
	req := ask()
	var answer model.Message
	for d, err := range c.Stream(t.Context(), req, profile.AnthropicSchema, send) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Kind == model.Done {
			answer = d.Response.Message
		}
	}
	if diff := cmp.Diff(ask(), req); diff != "" {
		t.Errorf("the request was changed: %s", diff)
	}
	if diff := cmp.Diff(called(`{"$filter":"b"}`), answer); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]model.Message{model.UserText("Find."), called(`{"_filter":"a"}`)}, sent.Messages); diff != "" {
		t.Error(diff)
	}
	first := sent.Tools
	c.Stream(t.Context(), ask(), profile.AnthropicSchema, send)
	if &first[0] != &sent.Tools[0] {
		t.Error("the same tools are fitted twice")
	}
	c.Stream(t.Context(), ask(), profile.OpenAISchema, send)
	if string(sent.Tools[0].Schema) != `{"type":"object","properties":{"$filter":{}}}` {
		t.Errorf("another dialect is sent %s", sent.Tools[0].Schema)
	}
}

func TestCacheIsBounded(t *testing.T) {
	var c Cache
	of := func(i int) *list { return c.list([]model.ToolSpec{{Name: string(rune('a' + i))}}, profile.AnySchema) }
	first := of(0)
	if of(0) != first {
		t.Error("the same tools are fitted twice")
	}
	for i := range maxLists {
		of(i + 1)
	}
	if of(0) == first {
		t.Errorf("more lists are kept than %d", maxLists)
	}
}
