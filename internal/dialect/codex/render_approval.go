package codex

import (
	"cmp"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/event"
)

// This file turns pending approvals into requests, and their answers into notifications.

// requestApproval asks for an approval. The client sees that the thread waits before the item of the call.
func (v *view) requestApproval(c *call, e event.ApprovalAsked) {
	if (c.Tool == toolPatch || c.Tool == toolShell && e.Request.Command == "") && len(c.changes) == 0 { // not looked at yet
		for _, p := range e.Request.Paths {
			c.changes = append(c.changes, FileUpdateChange{Path: p.Path, Kind: UpdatePatchChangeKind{}})
		}
	}
	c.pending++
	v.turn.approvals++
	v.notifyStatus()
	v.showCall(c)
	v.turn.asked[e.ID] = c
	if c.item == nil {
		return
	}
	reason := cmp.Or(e.Request.Justification, strings.Join(e.Details(), "; "))
	if _, ok := c.item.value.(FileChangeThreadItem); ok {
		v.out = append(v.out, question{pending{approval: e.ID}, "item/fileChange/requestApproval", FileChangeRequestApprovalParams{
			ThreadID: v.thread, TurnID: v.turn.id, ItemID: c.item.id, StartedAtMS: v.now.UnixMilli(), Reason: reason,
		}})
		return
	}
	if isNetwork(e.Request) {
		v.out = append(v.out, question{pending{approval: e.ID}, "item/permissions/requestApproval", v.networkPermission(c, e)})
		return
	}
	// What is neither a command nor a change of files is asked for as if it were a command.
	line := cmp.Or(e.Request.Command, appserver.ShortSummary(e.Request.Summary))
	if c.Server != "" {
		line = strings.TrimSpace("mcp " + c.Server + "." + c.Tool + " " + appserver.ShortSummary(string(c.Input)))
	}
	params := CommandExecutionRequestApprovalParams{
		Kind: CommandExecutionApprovalKindCommand, ThreadID: v.thread, TurnID: v.turn.id, ItemID: c.item.id, StartedAtMS: v.now.UnixMilli(),
		EnvironmentID: "local", Reason: reason, Command: shownLine(line), Cwd: cmp.Or(e.Request.Dir, v.dir), CommandActions: actionsOf(line, cmp.Or(e.Request.Dir, v.dir)),
	}
	if v.noRules {
		params.offer(nil)
	} else {
		params.offer(approval.CommandWords(e.Request))
	}
	if c.Server != "" {
		v.out = append(v.out, question{pending{approval: e.ID}, "item/commandExecution/requestApproval", serverApproval{params, serverQuestion(params, c)}})
		return
	}
	v.out = append(v.out, question{pending{approval: e.ID}, "item/commandExecution/requestApproval", params})
}

// offer sets the decisions that a client can choose from; words are those of a rule, none if the command can have none.
func (p *CommandExecutionRequestApprovalParams) offer(words []string) {
	p.AvailableDecisions = []CommandExecutionApprovalDecision{{Word: decisionAccept}, {Word: decisionAcceptForSession}}
	if len(words) > 0 {
		p.ProposedExecpolicyAmendment = words
		rule := CommandExecutionApprovalDecisionAcceptWithExecpolicyAmendment{ExecpolicyAmendment: words}
		p.AvailableDecisions = append(p.AvailableDecisions, CommandExecutionApprovalDecision{AcceptWithExecpolicyAmendment: &rule})
	}
	p.AvailableDecisions = append(p.AvailableDecisions, CommandExecutionApprovalDecision{Word: decisionDecline}, CommandExecutionApprovalDecision{Word: decisionCancel})
}

// A serverApproval is the request about a call of a tool server, for clients that know questions and for those that do not.
type serverApproval struct {
	command  CommandExecutionRequestApprovalParams
	question ToolRequestUserInputParams
}

// serverChoices are the answers to a question about a call of a tool server, by their labels.
var serverChoices = []struct{ label, decision string }{
	{"Accept", decisionAccept}, {"Accept for this session", decisionAcceptForSession}, {"Decline", decisionDecline}, {"Cancel", decisionCancel},
}

// serverQuestion asks about a call of a tool server.
func serverQuestion(p CommandExecutionRequestApprovalParams, c *call) ToolRequestUserInputParams {
	shown := ToolRequestUserInputQuestion{ID: questionID(0), Header: c.Server, Question: "Run " + c.Tool + " of " + c.Server + " with " + appserver.ShortSummary(string(c.Input)) + "?"}
	for _, choice := range serverChoices {
		shown.Options = append(shown.Options, ToolRequestUserInputOption{Label: choice.label})
	}
	return ToolRequestUserInputParams{ThreadID: p.ThreadID, TurnID: p.TurnID, ItemID: p.ItemID, IsBlocking: true, Questions: []ToolRequestUserInputQuestion{shown}}
}

// The decisions about approvals.
const (
	decisionAccept           = "accept"
	decisionAcceptForSession = "acceptForSession"
	decisionDecline          = "decline"
	decisionCancel           = "cancel"
	decisionAcceptRule       = "acceptWithExecpolicyAmendment"
)

// endApproval withdraws the request. A call that is not allowed ends soon, and the thread waits until then.
func (v *view) endApproval(e event.ApprovalAnswered) {
	v.out = append(v.out, answered{pending{approval: e.ID}})
	c := v.turn.asked[e.ID]
	if c == nil {
		return
	}
	delete(v.turn.asked, e.ID)
	c.declined = !e.Allowed && e.By != event.ByFault && e.By != event.ByRecovery
	if e.Allowed {
		v.endWait(c)
	}
}

// endWait notes that nothing about a call waits any more.
func (v *view) endWait(c *call) {
	v.turn.approvals -= c.pending
	c.pending = 0
	v.notifyStatus()
}
