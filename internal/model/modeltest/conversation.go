package modeltest

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// Conversation returns a request with everything a history can hold, for golden tests. signed
// is the thinking block of an earlier answer, as the wire under test would have made it.
func Conversation(signed model.Block) *model.Request {
	picture := &model.Image{MIME: "image/png", Data: []byte("picture")}
	return &model.Request{
		Model:     "claude-sonnet-4-5",
		System:    "You are <terse> & exact.",
		MaxTokens: 9000,
		Thinking:  model.Medium,
		Session:   "session-1",
		Tools: []model.ToolSpec{
			{Name: "read", Description: "Reads a file.", Schema: jsontext.Value(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)},
			{Name: "shell", Description: "Runs a command.", Schema: jsontext.Value(`{"type":"object","properties":{"timeout":{"type":"integer","minimum":1},"command":{"type":"string"}},"required":["command"]}`)},
		},
		Messages: []model.Message{
			{Role: model.User, Blocks: []model.Block{model.TextBlock("What is this?"), {Kind: model.KindImage, Image: picture}}},
			{Role: model.Assistant, Model: "claude-sonnet-4-5", Blocks: []model.Block{
				signed, model.TextBlock("Two looks."),
				call("call_a", "read", `{"path": "ä.go"}`), call("call:b", "shell", `"ls -l"`),
			}},
			{Role: model.Tool, Blocks: []model.Block{
				{Kind: model.KindToolResult, Result: &model.Result{CallID: "call_a", Text: "package ä", Images: []model.Image{*picture}}},
			}},
			{Role: model.Tool, Blocks: []model.Block{
				{Kind: model.KindToolResult, Result: &model.Result{CallID: "call:b", Text: "not valid JSON", IsError: true}},
			}},
			model.UserText("And now?"),
			{Role: model.Assistant, Provider: "elsewhere", Model: "other", Blocks: []model.Block{
				{Kind: model.KindThinking, Text: "of another wire", Signature: "elsewhere:x"},
				call("call_c", "shell", `{"command":"true"}`),
			}},
			{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: "call_c"}}}},
			{Role: model.Assistant, Model: "claude-sonnet-4-5", Blocks: []model.Block{signed}}, // interrupted while it thought
			model.UserText("Go on."),
		},
	}
}

// Linked returns a question about an image that the provider gets by itself.
func Linked() *model.Request {
	req := Hello()
	picture := model.Block{Kind: model.KindImage, Image: &model.Image{URL: "https://example.com/a.png"}}
	req.Messages = append(req.Messages, model.Message{Role: model.User, Blocks: []model.Block{picture}})
	return req
}

// Switched returns a request to a model of a provider in a conversation that another model began: with
// its reasoning, and an id of a call that most endpoints refuse. thought is the reasoning of an
// answer of the model itself, as its endpoint sends it.
func Switched(provider, id string, thought model.Block) *model.Request {
	const foreignID = "functions.list:0|fc_68a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6071829"
	foreign := func(blocks ...model.Block) model.Message {
		return model.Message{Role: model.Assistant, Provider: "elsewhere", Model: "other-1", Blocks: blocks}
	}
	own := func(blocks ...model.Block) model.Message {
		return model.Message{Role: model.Assistant, Provider: provider, Model: id, Blocks: blocks}
	}
	result := func(call, text string) model.Message {
		return model.Message{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: call, Text: text}}}}
	}
	return &model.Request{
		Model: id, System: "You are terse.", MaxTokens: 9000, Thinking: model.High, Session: "session-1",
		Tools: []model.ToolSpec{
			{Name: "read", Description: "Reads a file.", Schema: jsontext.Value(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)},
		},
		Messages: []model.Message{
			model.UserText("List the files."),
			foreign(model.Block{Kind: model.KindThinking, Text: "of another model", Signature: "reasoning_content"}, call(foreignID, "list", `{}`)),
			result(foreignID, "a.go"),
			foreign(model.TextBlock("There is one.")),
			model.UserText("Read it."),
			own(thought, model.TextBlock("I look."), call("call_b", "read", `{"path":"a.go"}`)),
			result("call_b", "package a"),
			own(model.TextBlock("It is empty.")),
			model.UserText("Are you sure?"),
			own(thought), // interrupted while it thought
			model.UserText("Go on."),
		},
	}
}

// ForeignTools returns a request with tools whose schemas endpoints refuse as they are, after a call of
// one of them.
func ForeignTools() *model.Request {
	req := Hello()
	for _, tool := range []struct{ name, schema string }{
		{"no_properties", `{"type":"object"}`},
		{"no_items", `{"type":"object","properties":{"list":{"type":"array"}},"required":["list"]}`},
		{"choice", `{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`},
		{"names", `{"type":"object","properties":{"bad key!":{"type":"string"},"$filter":{"type":"string"}},"required":["$filter"]}`},
		{"keywords", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"c":{"const":"x"},"n":{"type":"number","exclusiveMinimum":0},"p":{"type":"object","patternProperties":{"^x":{"type":"string"}}},"r":{"$ref":"#/$defs/R"}},"$defs":{"R":{"type":"string"}}}`},
		{"no_values", `{"type":"object","properties":{"e":{"type":"string","enum":[]}},"required":["e"],"additionalProperties":false}`},
	} {
		req.Tools = append(req.Tools, model.ToolSpec{Name: tool.name, Description: "A tool.", Schema: jsontext.Value(tool.schema)})
	}
	call := model.Call{ID: "call_1", Name: "names", Input: jsontext.Value(`{"$filter":"x"}`)}
	req.Messages = append(
		req.Messages,
		model.Message{Role: model.Assistant, Blocks: []model.Block{{Kind: model.KindToolCall, Call: &call}}},
		model.Message{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: call.ID, Text: "1"}}}},
	)
	return req
}
