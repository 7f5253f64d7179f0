package codex

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/event"
)

// This file shows tool calls: one item a call, of the type that its tool asks for.

// A call is a tool call of the running turn.
type call struct {
	event.ToolIntended
	item     *item  // nil until it is known what to show
	args     inputs // what of the input is shown
	changes  []FileUpdateChange
	pending  int  // approvals that wait
	declined bool // a user, or the absence of one, denied it
	ran      bool
}

// inputs is what items show of the inputs of our tools.
type inputs struct {
	Command     string `json:"command"`
	Cmd         string `json:"cmd"`
	Dir         string `json:"dir"`
	Workdir     string `json:"workdir"`
	Path        string `json:"path"`
	Query       string `json:"query"`
	Explanation string `json:"explanation"`
}

func (v *view) renderCall(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.ToolIntended:
		c := &call{ToolIntended: e}
		_ = json.Unmarshal(e.Input, &c.args) // an input that does not fit fails as a call, and shows what it has
		v.turn.calls[e.Call] = c
		if c.plans() {
			v.turn.explanation = c.args.Explanation
		}
	case event.ChangesProposed:
		v.withCall(e.Call, func(c *call) {
			c.changes = v.fileChanges(e.Changes)
			v.showCall(c)
		})
	case event.ApprovalAsked:
		v.withCall(e.Call, func(c *call) { v.requestApproval(c, e) })
	case event.ApprovalAnswered:
		v.endApproval(e)
	case event.ToolStarted:
		v.withCall(e.Call, func(c *call) {
			c.ran = true
			v.showCall(c)
		})
	case event.ToolOutput:
		v.withCall(e.Call, func(c *call) { v.growOutput(c, e.Text) })
	case event.ToolProgress:
		v.withCall(e.Call, func(c *call) { v.progress(c, e) })
	case event.SubagentStarted:
		v.withCall(e.Call, func(c *call) { v.showSubagent(c, e) })
	case event.ToolEnded:
		v.withCall(e.Call, func(c *call) { v.endCall(c, e) })
	}
}

func (v *view) withCall(id event.CallID, do func(*call)) {
	if c := v.turn.calls[id]; c != nil {
		do(c)
	}
}

// plans reports whether the call changes the plan, which is shown by itself.
func (c *call) plans() bool { return c.Tool == toolPlan && c.Server == "" }

// showCall starts the call's item, unless it is shown or has none.
func (v *view) showCall(c *call) {
	if c.item != nil || c.plans() {
		return
	}
	c.item = &item{id: string(c.Call)}
	v.start(c.item, v.begun(c))
}

// begun returns the item of a call that has no result yet.
func (v *view) begun(c *call) ThreadItem {
	id := string(c.Call)
	switch {
	case c.Server == clientServer:
		return v.dynamic(c)
	case c.Server != "":
		return MCPToolCallThreadItem{ID: id, Server: c.Server, Tool: c.Tool, Arguments: dialect.Object(c.Input), Status: McpToolCallStatusInProgress}
	case c.Tool == toolPatch, c.Tool == toolShell && len(c.changes) > 0: // a command that only applies a patch
		return FileChangeThreadItem{ID: id, Changes: c.changes, Status: PatchApplyStatusInProgress}
	case c.Tool == toolShell:
		line := cmp.Or(c.args.Cmd, c.args.Command)
		dir := v.absolute(cmp.Or(c.args.Workdir, c.args.Dir))
		return CommandExecutionThreadItem{
			ID: id, Command: shownLine(line), CommandActions: actionsOf(line, dir), Cwd: dir,
			Source: CommandExecutionSourceAgent, Status: CommandExecutionStatusInProgress,
		}
	case c.Tool == toolWrite || c.Tool == toolEdit:
		if len(c.changes) == 0 { // nothing is known, or nothing changes
			c.changes = []FileUpdateChange{{Path: v.absolute(c.args.Path), Kind: UpdatePatchChangeKind{}}}
		}
		return FileChangeThreadItem{ID: id, Changes: c.changes, Status: PatchApplyStatusInProgress}
	case c.Name == nameViewImage:
		return ImageViewThreadItem{ID: id, Path: v.absolute(c.args.Path)}
	case c.Tool == toolTask:
		return CollabAgentToolCallThreadItem{
			ID: id, Tool: CollabAgentToolSpawnAgent, Status: CollabAgentToolCallStatusInProgress, SenderThreadID: v.thread,
			ReceiverThreadIDs: []string{}, AgentsStates: map[string]CollabAgentState{},
		}
	case c.Tool == toolSearch:
		return WebSearchThreadItem{ID: id, Query: c.args.Query, Action: SearchWebSearchAction{Query: nullString(c.args.Query)}}
	}
	return v.dynamic(c)
}

func (v *view) dynamic(c *call) DynamicToolCallThreadItem {
	namespace, tool := splitName(c.Name)
	return DynamicToolCallThreadItem{ID: string(c.Call), Namespace: nullString(namespace), Tool: tool, Arguments: dialect.Object(c.Input), Status: DynamicToolCallStatusInProgress}
}

// endCall completes the call's item, as its tool wants it.
func (v *view) endCall(c *call, e event.ToolEnded) {
	defer delete(v.turn.calls, e.Call)
	edits := (c.Tool == toolWrite || c.Tool == toolEdit) && c.args.Path != ""
	if c.item == nil && e.Outcome == event.Failed && !edits {
		// It never came to be a call: a bad input, or a tool that does not exist.
		c.item = &item{id: string(c.Call)}
		v.start(c.item, v.dynamic(c))
	}
	if c.item == nil && e.Outcome == event.Interrupted && (edits || c.Tool == toolPatch) {
		return // the client never saw it, and nothing of it was done
	}
	v.showCall(c)
	if c.item == nil {
		return
	}
	switch value := c.item.value.(type) {
	case CommandExecutionThreadItem:
		v.endCommand(c, value, e)
	case FileChangeThreadItem:
		value.Status = c.patchStatus(e)
		if len(e.Changes) > 0 {
			value.Changes = v.fileChanges(e.Changes)
		}
		v.complete(c.item, value)
	case MCPToolCallThreadItem:
		v.endServerCall(c, value, e)
	case WebSearchThreadItem, ImageViewThreadItem:
		v.complete(c.item, value)
	case DynamicToolCallThreadItem:
		v.endDynamic(c, value, e)
	case CollabAgentToolCallThreadItem:
		v.endTask(c, value, e)
	}
	if len(e.Changes) > 0 || e.Shell != nil && len(e.Shell.Changes) > 0 {
		v.out = append(v.out, diffChanged{event.TurnID(v.turn.id)})
	}
	if c.pending > 0 { // the answer did not end the wait, for the client sees the end of the item first
		v.endWait(c)
	}
}

func (c *call) patchStatus(e event.ToolEnded) PatchApplyStatus {
	switch {
	case c.declined && !c.ran:
		return PatchApplyStatusDeclined
	case e.Outcome == event.Succeeded:
		return PatchApplyStatusCompleted
	}
	return PatchApplyStatusFailed
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

func (v *view) endDynamic(c *call, value DynamicToolCallThreadItem, e event.ToolEnded) {
	succeeded := e.Outcome == event.Succeeded
	value.Status, value.DurationMS, value.Success = DynamicToolCallStatusFailed, c.duration(e), &succeeded
	text := e.Output
	if succeeded {
		value.Status = DynamicToolCallStatusCompleted
	} else {
		text = failureText(c, e)
	}
	value.ContentItems = []DynamicToolCallOutputContentItem{{InputTextDynamicToolCallOutputContentItem{Text: text}}}
	v.complete(c.item, value)
}

func (v *view) endServerCall(c *call, value MCPToolCallThreadItem, e event.ToolEnded) {
	value.Status, value.DurationMS = McpToolCallStatusFailed, c.duration(e)
	if e.Outcome == event.Succeeded {
		value.Status = McpToolCallStatusCompleted
	} else {
		value.Error = &McpToolCallError{Message: failureText(c, e)}
	}
	if e.Reply != nil {
		value.Result = resultOf(e.Reply.Content)
	}
	v.complete(c.item, value)
}

// resultOf returns the response of a tool server as clients read it.
func resultOf(content jsontext.Value) *McpToolCallResult {
	result := &McpToolCallResult{Content: []jsontext.Value{}}
	_ = json.Unmarshal(content, result) // what has another form shows nothing
	return result
}

// progress reports how far a call of a tool server is.
func (v *view) progress(c *call, e event.ToolProgress) {
	if c.item != nil && e.Text != "" {
		v.notify("item/mcpToolCall/progress", McpToolCallProgressNotification{ThreadID: v.thread, TurnID: v.turn.id, ItemID: c.item.id, Message: e.Text})
	}
}

// closeAll ends whatever is open, should a turn end without having closed it.
func (v *view) closeAll() {
	v.endProposals()
	for _, it := range v.turn.texts {
		if _, thinking := it.value.(ReasoningThreadItem); it.done || thinking && len(it.text) == 0 {
			continue
		}
		v.endPart(it, string(it.text), it.summary)
	}
	for _, it := range slices.Clone(v.turn.items) {
		for id, c := range v.turn.calls {
			if c.item == it {
				v.endCall(c, event.ToolEnded{Call: id, Outcome: event.Interrupted})
			}
		}
	}
}
