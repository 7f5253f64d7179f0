package pisces

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file contains what extensions do with calls of tools: extensions are an
// engine.CallInterceptor.

// BeforeCall asks them whether a call may run, and with which input.
func (x *extensions) BeforeCall(ctx context.Context, call model.Call) engine.Ruling {
	run := x.running()
	if run == nil || !run.Listens("tool_call") {
		return engine.Ruling{}
	}
	said, err := run.Emit(ctx, struct {
		Type       string         `json:"type"`
		ToolName   string         `json:"toolName"`
		ToolCallID string         `json:"toolCallId"`
		Input      jsontext.Value `json:"input"`
	}{"tool_call", call.Name, call.ID, call.Input}, false)
	var answer struct {
		Block  bool           `json:"block"`
		Reason string         `json:"reason"`
		Input  jsontext.Value `json:"input"`
	}
	if err == nil {
		err = json.Unmarshal(said, &answer, rawjson.Lenient...)
	}
	if err != nil { // the extensions cannot decide any more
		return engine.Ruling{Refused: true, Reason: "Extension failed: " + err.Error()}
	}
	return engine.Ruling{Refused: answer.Block, Reason: answer.Reason, Input: answer.Input}
}

// result returns the result of a call as clients see it.
func (s *session) result(call event.ToolIntended, ended event.ToolEnded) message.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view.fold.Result(call, ended)
}

// AfterCall lets them change what a call gave.
func (x *extensions) AfterCall(ctx context.Context, call model.Call, ended event.ToolEnded) event.ToolEnded {
	run, s := x.running(), x.now.Load()
	if run == nil || s == nil || !run.Listens("tool_result") {
		return ended
	}
	shown := s.result(event.ToolIntended{Call: ended.Call, Name: call.Name, Input: call.Input, Tool: ownTool(call.Name)}, ended)
	var answer struct {
		Content jsontext.Value `json:"content"`
		Details jsontext.Value `json:"details"`
		IsError *bool          `json:"isError"`
	}
	answered := x.ask(ctx, struct {
		Type       string            `json:"type"`
		ToolName   string            `json:"toolName"`
		ToolCallID string            `json:"toolCallId"`
		Input      jsontext.Value    `json:"input"`
		Content    []message.Content `json:"content"`
		Details    jsontext.Value    `json:"details,omitzero"`
		IsError    bool              `json:"isError"`
	}{"tool_result", call.Name, call.ID, call.Input, shown.Content, shown.Details, ended.Outcome != event.Succeeded}, false, &answer)
	if !answered {
		return ended
	}
	if answer.Content != nil {
		var texts []string
		for _, b := range message.RawBlocks(answer.Content) {
			if b.Type == message.TypeText {
				texts = append(texts, b.Text)
			}
		}
		ended.Output = strings.ToValidUTF8(strings.Join(texts, "\n"), "\uFFFD")
		ended.Shell = nil // how the command ended is in the text, or the extension wants it otherwise
		if answer.Details == nil {
			answer.Details = shown.Details
		}
	}
	if answer.IsError != nil {
		ended.Outcome = event.Succeeded
		if *answer.IsError {
			ended.Outcome = event.Failed
		}
	}
	if answer.Details != nil {
		ended.Reply = &event.Reply{Content: rawjson.Marshal(message.GivenDetails{Details: answer.Details})}
	}
	return ended
}

// ownTool returns our own name of a tool that clients know by another.
func ownTool(shown string) string {
	for _, t := range shownTools.Get() {
		if t.Name == shown {
			return t.Tool
		}
	}
	return shown
}
