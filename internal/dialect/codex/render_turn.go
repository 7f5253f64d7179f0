package codex

import (
	"fmt"
	"time"

	"parley.dev/parley/internal/event"
)

// This file shows what happens in a turn, but for answers and calls.

func (v *view) renderTurn(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.UserMessage:
		if e.Via == event.ByEngine { // it is not a user's
			return
		}
		id := fmt.Sprintf("u-%d", rec.Seq)
		if what := reviewOf(e.Sent); what != "" {
			v.beginReview(id, what)
			return
		}
		v.showWhole(id, UserMessageThreadItem{ID: id, ClientID: nullString(clientID(e)), Content: v.inputs(e)})
	case event.AssistantMessage:
		v.endAnswer(e)
	case event.PlanUpdated:
		v.showPlan(e)
	case event.Compacted:
		v.total = v.total.Add(e.Usage)
		id := fmt.Sprintf("c-%d", rec.Seq)
		v.showWhole(id, ContextCompactionThreadItem{ID: id})
	case event.RetryStarted:
		failure := turnError(&e.Failure)
		failure.AdditionalDetails = nullString(failure.Message)
		failure.Message = fmt.Sprintf("Reconnecting... %d/%d", e.Attempt, e.Max)
		v.notify("error", ErrorNotification{*failure, v.thread, v.turn.id, true})
	case event.QuestionAsked:
		v.ask(e)
	case event.QuestionAnswered:
		if v.turn.questions > 0 {
			v.turn.questions--
		}
		v.out = append(v.out, answered{pending{question: e.ID}})
		v.notifyStatus()
	default:
		v.renderCall(rec)
	}
}

// ask turns questions of a tool into a request.
func (v *view) ask(e event.QuestionAsked) {
	v.turn.questions++
	v.notifyStatus()
	if form := formOf(e.Questions); form != nil {
		v.out = append(v.out, question{pending{question: e.ID}, "mcpServer/elicitation/request", v.elicitation(e.ID, form)})
		return
	}
	params := ToolRequestUserInputParams{ThreadID: v.thread, TurnID: v.turn.id, ItemID: string(e.Call), IsBlocking: true}
	for i, q := range e.Questions {
		other := true
		shown := ToolRequestUserInputQuestion{ID: questionID(i), Header: q.Header, Question: q.Text, IsOther: &other}
		for _, o := range q.Options {
			shown.Options = append(shown.Options, ToolRequestUserInputOption{Label: o.Label, Description: o.Description})
		}
		params.Questions = append(params.Questions, shown)
	}
	v.out = append(v.out, question{pending{question: e.ID}, "item/tool/requestUserInput", params})
}

// questionID is the id of the i-th of the questions that are asked together.
func questionID(i int) string { return fmt.Sprintf("q%d", i+1) }

// showPlan shows a plan, which is no item.
func (v *view) showPlan(e event.PlanUpdated) {
	n := TurnPlanUpdatedNotification{ThreadID: v.thread, TurnID: v.turn.id, Explanation: nullString(v.turn.explanation), Plan: []TurnPlanStep{}}
	for _, step := range e.Items {
		n.Plan = append(n.Plan, TurnPlanStep{Status: planStatuses[step.Status], Step: step.Text})
	}
	v.notify("turn/plan/updated", n)
}

var planStatuses = map[event.PlanStatus]TurnPlanStepStatus{
	event.Pending: TurnPlanStepStatusPending, event.InProgress: TurnPlanStepStatusInProgress, event.Completed: TurnPlanStepStatusCompleted,
}

// elapsed returns the milliseconds between two times. A clock that was set back shows none.
func elapsed(from, to time.Time) int64 { return max(0, to.Sub(from).Milliseconds()) }
