package acp

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/event"
	shorten "parley.dev/parley/internal/text"
)

// This file shows tool calls.

// A call is a tool call of the running turn.
type call struct {
	event.ToolIntended
	args    arguments
	changes []event.FileChange // as they were proposed
	output  []byte             // of a command, the last part of it
	sent    time.Time          // when the output was shown last
	ended   bool
}

// arguments is what is shown of the inputs of our tools.
type arguments struct {
	Command string `json:"command"`
	Path    string `json:"path"`
	Pattern string `json:"pattern"`
	Query   string `json:"query"`
	URL     string `json:"url"`
	Name    string `json:"name"`
	Offset  int    `json:"offset"`
}

const (
	contentLimit = 64 << 10               // bytes of a text that is shown of a result
	outputPace   = 200 * time.Millisecond // between two updates with the output of a command
)

func (v *view) renderCall(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.ToolIntended:
		v.intend(e)
	case event.ChangesProposed:
		v.withCall(e.Call, func(c *call) { c.changes = e.Changes })
	case event.ApprovalAsked:
		v.withCall(e.Call, func(c *call) {
			v.turn.asked[e.ID] = c
			if !e.Unattended {
				v.show(ask{e.ID, v.permission(c, e)})
			}
		})
	case event.ApprovalAnswered:
		v.show(answered{e.ID})
	case event.QuestionAsked:
		v.question(e)
	case event.QuestionAnswered:
		v.show(questionAnswered{e.ID})
	case event.ToolStarted:
		v.withCall(e.Call, func(c *call) { v.started(c, e) })
	case event.TerminalCreated:
		v.withCall(e.Call, func(c *call) { v.showTerminal(c, e.Terminal) })
	case event.ToolOutput:
		v.withCall(e.Call, func(c *call) { v.growOutput(c, e.Text, rec.Time) })
	case event.ToolEnded:
		v.withCall(e.Call, func(c *call) { v.endCall(c, e) })
	}
}

func (v *view) withCall(id event.CallID, do func(*call)) {
	if c := v.turn.calls[id]; c != nil && !c.ended {
		do(c)
	}
}

// intend shows a call, unless it is of a tool that is shown by what it does.
func (v *view) intend(e event.ToolIntended) {
	if e.Server == "" && e.Tool == toolPlan {
		return
	}
	c := &call{ToolIntended: e}
	_ = json.Unmarshal(e.Input, &c.args) // an input that does not fit fails as a call, and shows what it has
	v.turn.calls[e.Call] = c
	v.turn.order = append(v.turn.order, e.Call)
	v.show(v.begun(c))
}

// begun returns a call that has not run.
func (v *view) begun(c *call) ToolCall {
	return ToolCall{
		SessionUpdate: "tool_call", ToolCallID: string(c.Call), Title: v.titleOf(c), Name: c.Name, Kind: kindOf(c), Status: ToolPending,
		Locations: v.locations(c), RawInput: rawInput(c),
	}
}

// permission returns the request for an approval of a call.
func (v *view) permission(c *call, e event.ApprovalAsked) PermissionParams {
	shown := v.begun(c)
	shown.SessionUpdate, shown.Name = "", ""
	shown.Content = v.diffs(c.changes)
	return PermissionParams{ToolCall: shown, Options: permissionOptions(aboutOf(e.Request), grantable(e.Request))}
}

// grantable reports whether a grant can cover a request.
func grantable(r approval.Request) bool {
	return r.Level != approval.Admin && (r.Command != "" || r.URL != "" || r.Server != "" || len(r.Paths) > 0)
}

// aboutOf returns what a request is about, for a person.
func aboutOf(r approval.Request) string {
	switch {
	case r.Command != "":
		return "`" + shorten.Clip(oneLine(r.Command), 80, "…") + "`"
	case r.URL != "":
		return r.URL
	case len(r.Paths) > 0:
		return r.Paths[0].Shown
	}
	return r.Tool
}

// update shows what has changed of a call.
func (v *view) update(c *call, change ToolCall) {
	change.SessionUpdate, change.ToolCallID = "tool_call_update", string(c.Call)
	v.show(change)
}

// growOutput shows the output of a command, not too often.
func (v *view) growOutput(c *call, piece string, at time.Time) {
	c.output = append(c.output, piece...)
	if excess := len(c.output) - contentLimit; excess > 0 {
		c.output = append(c.output[:0], c.output[excess:]...)
	}
	if at.Sub(c.sent) < outputPace {
		return
	}
	c.sent = at
	v.update(c, ToolCall{Content: []ToolContent{textOfTool(strings.ToValidUTF8(string(c.output), ""))}})
}

// endCall shows the end of a call.
func (v *view) endCall(c *call, e event.ToolEnded) {
	c.ended = true
	end := ToolCall{Status: ToolCompleted, Content: v.results(c, e), RawOutput: &RawOutput{Text: shorten.Clip(e.Output, contentLimit, "…")}}
	if e.Outcome != event.Succeeded {
		end.Status = ToolFailed
	}
	if e.Shell != nil {
		end.RawOutput.ExitCode = &e.Shell.ExitCode
	}
	if e.Outcome == event.Denied || e.Outcome == event.Interrupted {
		end.RawOutput = nil
	}
	if e.Shell != nil && e.Shell.Terminal != "" {
		end = v.endInTerminal(end, e)
	}
	v.update(c, end)
}

// fail ends a call that has no end of its own.
func (v *view) fail(c *call, why string) {
	c.ended = true
	v.update(c, ToolCall{Status: ToolFailed, Content: []ToolContent{textOfTool(why)}})
}

// results returns what a call has come to: the changes of files, or what the model reads.
func (v *view) results(c *call, e event.ToolEnded) []ToolContent {
	if content := v.diffs(e.Changes); len(content) > 0 {
		return content
	}
	var content []ToolContent
	if e.Output != "" {
		content = append(content, textOfTool(shorten.Clip(e.Output, contentLimit, "\n[cut]")))
	}
	for _, img := range e.Images {
		if block, ok := v.picture(img); ok {
			content = append(content, ContentOfTool{"content", block})
		}
	}
	return content
}

// diffs returns changes of files.
func (v *view) diffs(changes []event.FileChange) []ToolContent {
	var content []ToolContent
	for _, change := range changes {
		content = append(content, v.diff(change))
	}
	return content
}

func textOfTool(s string) ContentOfTool { return ContentOfTool{"content", text(s)} }

// rawInput returns the arguments of a call, which clients expect to be an object.
func rawInput(c *call) jsontext.Value { return dialect.Object(c.Input) }
