package flint

import (
	"cmp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/text"
)

// This file shows tool calls: one item a call, of the type that its tool asks for.

// A call is a tool call of the running turn.
type call struct {
	event.ToolIntended
	item     *item  // nil until it is known what to show
	args     inputs // what of the input is shown
	changes  []FileUpdateChange
	declined bool // by the user, or because there is no client
	ran      bool
}

// inputs is what items show of the inputs of our tools.
type inputs struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	Dir         string `json:"dir"`
	Path        string `json:"path"`
	Pattern     string `json:"pattern"`
	Query       string `json:"query"`
	URL         string `json:"url"`
}

func (v *view) renderCall(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.ToolIntended:
		c := &call{ToolIntended: e}
		_ = json.Unmarshal(e.Input, &c.args) // an input that does not fit fails as a call, and shows what it has
		v.turn.calls[e.Call] = c
	case event.ChangesProposed:
		v.withCall(e.Call, func(c *call) {
			c.changes = v.fileChanges(e.Changes)
			v.showCall(c)
		})
	case event.ApprovalAsked:
		v.withCall(e.Call, func(c *call) {
			if (c.Tool == toolPatch || c.Tool == toolShell && e.Request.Command == "") && len(c.changes) == 0 { // not looked at yet
				for _, p := range e.Request.Paths {
					c.changes = append(c.changes, FileUpdateChange{Path: p.Path, Kind: ChangeModify})
				}
			}
			v.showCall(c)
			v.turn.asked[e.ID] = c
			v.ask(c, e)
		})
	case event.ApprovalAnswered:
		v.out = append(v.out, answered{e.ID})
		if c := v.turn.asked[e.ID]; c != nil {
			c.declined = !e.Allowed && e.By != event.ByFault && e.By != event.ByRecovery
		}
	case event.ToolStarted:
		v.withCall(e.Call, func(c *call) {
			c.ran = true
			v.showCall(c)
		})
	case event.ToolOutput:
		v.withCall(e.Call, func(c *call) { v.growOutput(c, e.Text) })
	case event.ToolProgress:
		v.withCall(e.Call, func(c *call) { v.progress(c, e) })
	case event.ToolEnded:
		v.withCall(e.Call, func(c *call) { v.endCall(c, e) })
	}
}

func (v *view) withCall(id event.CallID, do func(*call)) {
	if c := v.turn.calls[id]; c != nil {
		do(c)
	}
}

// showCall starts the call's item, unless it is shown or has none: a plan is shown by itself.
func (v *view) showCall(c *call) {
	if c.item != nil || c.Tool == toolPlan && c.Server == "" {
		return
	}
	c.item = &item{id: string(c.Call)}
	v.start(c.item, v.begun(c))
	v.growDiffs(c.item, c.changes)
}

// growDiffs shows the diff of each file as a piece.
func (v *view) growDiffs(it *item, changes []FileUpdateChange) {
	for _, change := range changes {
		v.grow(it, "item/fileChange/outputDelta", change.Diff)
	}
}

// begun returns the item of a call that has no result yet.
func (v *view) begun(c *call) ThreadItem {
	id := string(c.Call)
	switch {
	case c.Server != "":
		return McpToolCallItem{Type: "mcpToolCall", ID: id, Server: c.Server, Tool: c.Tool, Arguments: dialect.Object(c.Input), Status: ItemInProgress}
	case c.Tool == toolPatch, c.Tool == toolShell && len(c.changes) > 0: // a command that only applies a patch
		return FileChangeItem{Type: "fileChange", ID: id, Changes: c.changes, Status: ItemInProgress}
	case c.Tool == toolShell:
		return CommandExecutionItem{Type: "commandExecution", ID: id, Command: c.args.Command, Cwd: v.absolute(c.args.Dir), Status: ItemInProgress}
	case c.Tool == toolWrite || c.Tool == toolEdit:
		if len(c.changes) == 0 { // nothing is known, or nothing changes
			c.changes = []FileUpdateChange{{Path: v.absolute(c.args.Path), Kind: ChangeModify}}
		}
		return FileChangeItem{Type: "fileChange", ID: id, Changes: c.changes, Status: ItemInProgress}
	case c.Tool == toolSearch:
		return WebSearchItem{"webSearch", id, c.args.Query, searchAction(c.args.Query)}
	}
	return v.dynamic(c)
}

func (v *view) dynamic(c *call) DynamicToolCallItem {
	return DynamicToolCallItem{
		Type: "dynamicToolCall", ID: string(c.Call), Tool: c.Name, Arguments: dialect.Object(c.Input), Status: ItemInProgress,
		Text: strings.TrimSpace(c.Name + " " + text.OneLine(cmp.Or(c.args.Path, c.args.Pattern, c.args.Query, c.args.URL, c.args.Command))),
	}
}

// endCall completes the call's item, as its tool wants it.
func (v *view) endCall(c *call, e event.ToolEnded) {
	defer delete(v.turn.calls, e.Call)
	if c.item == nil && e.Outcome == event.Failed && !v.editing(c) {
		// It never came to be a call: a bad input, or a tool that does not exist.
		c.item = &item{id: string(c.Call)}
		v.start(c.item, v.dynamic(c))
	}
	if c.item == nil && e.Outcome == event.Interrupted && (v.editing(c) || c.Tool == toolPatch) {
		return // the client never saw it, and nothing of it was done
	}
	v.showCall(c)
	if c.item == nil {
		return
	}
	switch value := c.item.value.(type) {
	case CommandExecutionItem:
		v.endCommand(c, value, e)
	case FileChangeItem:
		value.Status = c.status(e)
		if len(e.Changes) > 0 {
			value.Changes = v.fileChanges(e.Changes)
		}
		if len(c.item.text) == 0 { // they were not known before
			v.growDiffs(c.item, value.Changes)
		}
		v.complete(c.item, value)
	case McpToolCallItem:
		v.endServerCall(c, value, e)
	case WebSearchItem:
		v.complete(c.item, value)
	case DynamicToolCallItem:
		value.Status, value.DurationMS = succeededOr(e, ItemFailed), c.duration(e)
		succeeded := e.Outcome == event.Succeeded
		value.Success = &succeeded
		if succeeded {
			value.ContentItems = []ContentItem{{"inputText", e.Output}}
		} else {
			value.Error = failureText(c, e)
		}
		v.complete(c.item, value)
	}
}

// editing reports whether the call was to change a file that it named.
func (v *view) editing(c *call) bool {
	return (c.Tool == toolWrite || c.Tool == toolEdit) && c.args.Path != ""
}

// status returns how a call ended that a user can decline.
func (c *call) status(e event.ToolEnded) ItemStatus {
	if c.declined && !c.ran {
		return ItemDeclined
	}
	return succeededOr(e, ItemFailed)
}

func succeededOr(e event.ToolEnded, other ItemStatus) ItemStatus {
	if e.Outcome == event.Succeeded {
		return ItemCompleted
	}
	return other
}

func (c *call) duration(e event.ToolEnded) *int64 {
	if !c.ran {
		return nil
	}
	ms := time.Duration(e.Ran).Milliseconds()
	return &ms
}

// failureText returns why a call failed, where its item has no status for a refusal.
func failureText(c *call, e event.ToolEnded) string {
	if c.declined && !c.ran {
		return "declined by user"
	}
	return e.Output
}

func (v *view) endServerCall(c *call, value McpToolCallItem, e event.ToolEnded) {
	value.Status, value.DurationMS = succeededOr(e, ItemFailed), c.duration(e)
	if e.Reply != nil {
		value.Result = e.Reply.Content
	}
	if value.Status == ItemFailed {
		value.Error = failureText(c, e)
	}
	v.complete(c.item, value)
}

// progress reports how far a call of a tool server is.
func (v *view) progress(c *call, e event.ToolProgress) {
	if c.item != nil {
		v.notify("parley/mcp_tool_progress", McpToolProgress{v.thread, v.turn.id, c.item.id, e.Done, e.Total, e.Text})
	}
}

// closeAll ends whatever is open, should a turn end without having closed it.
func (v *view) closeAll() {
	for _, it := range v.turn.texts {
		if _, thinking := it.value.(ReasoningItem); it.done || thinking && len(it.text) == 0 {
			continue
		}
		v.endPart(it, string(it.text), false)
	}
	for _, it := range v.turn.items {
		for id, c := range v.turn.calls {
			if c.item == it {
				v.endCall(c, event.ToolEnded{Call: id, Outcome: event.Interrupted})
			}
		}
	}
}

// ask turns a pending approval into a request. What is neither a command nor a change to
// files is asked for as if it were a command, since clients know no other question.
func (v *view) ask(c *call, e event.ApprovalAsked) {
	if c.item == nil {
		return
	}
	reason := strings.Join(e.Details(), "; ")
	if c.args.Description != "" {
		reason = strings.TrimPrefix(reason+": "+c.args.Description, ": ")
	}
	if value, ok := c.item.value.(FileChangeItem); ok {
		v.out = append(v.out, question{e.ID, "item/fileChange/requestApproval", v.shapes.question(FileChangeRequestApproval{
			v.thread, v.turn.id, c.item.id, value.Changes, reason,
		})})
		return
	}
	v.out = append(v.out, question{e.ID, "item/commandExecution/requestApproval", CommandExecutionRequestApproval{
		ThreadID: v.thread, TurnID: v.turn.id, ItemID: c.item.id,
		Command: cmp.Or(e.Request.Command, appserver.ShortSummary(e.Request.Summary)), Cwd: cmp.Or(e.Request.Dir, v.dir), Reason: reason,
	}})
}

func searchAction(query string) jsontext.Value {
	action, _ := json.Marshal(struct { // of strings: cannot fail
		Type  string `json:"type"`
		Query string `json:"query"`
	}{"search", query}, jsontext.AllowInvalidUTF8(true))
	return action
}
