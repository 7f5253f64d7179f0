package modeltest

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// Conversation is a request with everything a history can hold, for golden tests. signed
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
			{Role: model.Assistant, Blocks: []model.Block{
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
			{Role: model.Assistant, Blocks: []model.Block{
				{Kind: model.KindThinking, Text: "of another wire", Signature: "elsewhere:x"},
				call("call_c", "shell", `{"command":"true"}`),
			}},
			{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: "call_c"}}}},
			{Role: model.Assistant, Blocks: []model.Block{signed}}, // interrupted while it thought
			model.UserText("Go on."),
		},
	}
}

// Linked is a question about an image that the provider gets by itself.
func Linked() *model.Request {
	req := Hello()
	picture := model.Block{Kind: model.KindImage, Image: &model.Image{URL: "https://example.com/a.png"}}
	req.Messages = append(req.Messages, model.Message{Role: model.User, Blocks: []model.Block{picture}})
	return req
}
