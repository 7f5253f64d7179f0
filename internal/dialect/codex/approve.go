package codex

import (
	"errors"
	"fmt"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
)

// This file handles requests to the client: approvals, and questions of tools.

// asked is what a client is asked about a thread.
type asked struct {
	thread *thread
	pending
}

// decide takes the client's answer to a question. One that comes too late, or twice, or to no question, means nothing.
func (c *conn) decide(r response) {
	a, ok := c.asked.Take(r.id)
	if !ok {
		return
	}
	switch {
	case a.question != "":
		c.decideQuestion(a, r)
		return
	case a.call != "":
		c.decideCall(a, r)
		return
	}
	if network, ok := pendingNetwork(a.thread.session, a.approval); ok {
		c.decidePermission(a, network, r)
		return
	}
	d := engine.Decision{Broken: true, Reason: textBroken}
	switch word, rule := r.decision(); word {
	case decisionAccept, decisionAcceptForSession:
		d = engine.Decision{Allow: true, Remember: word == decisionAcceptForSession}
	case decisionDecline:
		d = engine.Decision{}
	case decisionCancel:
		d = engine.Decision{Interrupt: true}
	case decisionAcceptRule:
		c.acceptRule(a, rule)
		return
	}
	_ = a.thread.client.Answer(a.approval, d) // settled meanwhile: nothing to do
}

// acceptRule allows a command, and all that begin with the words of a rule in the workspace for always. Words that cannot be granted
// make no sense as an answer. A rule that cannot be stored is one for the session, for this very command; one that the client may not
// store is none, and the call fails.
func (c *conn) acceptRule(a asked, words []string) {
	if refusal := c.cfg.Rights.Check(acceptRule, rights.Need{Level: table.Get().Level(acceptRule)}); refusal != nil {
		c.cfg.Rights.Refused(refusal, a.thread.id)
		a.thread.pump.Reply(c.announce("warning", WarningNotification{Message: refusal.Error(), ThreadID: nullString(a.thread.id)})...)
		_ = a.thread.client.Answer(a.approval, engine.Decision{Broken: true, Reason: refusal.Error()}) // settled meanwhile: nothing to do
		return
	}
	target, err := approval.PrefixTarget(words)
	if err == nil {
		err = a.thread.client.AnswerAlways(a.approval, target)
	} else {
		err = engine.ErrNotGrantable
	}
	switch {
	case err == nil, errors.Is(err, engine.ErrNoApproval): // settled meanwhile: nothing to do
	case errors.Is(err, engine.ErrNotGrantable):
		_ = a.thread.client.Answer(a.approval, engine.Decision{Broken: true, Reason: textBroken})
	default:
		c.cfg.Log.Error("rule not stored", "thread", a.thread.id, "error", err)
		text := "The rule for the command holds for this session only, since it cannot be stored: " + err.Error()
		a.thread.pump.Reply(c.announce("warning", WarningNotification{Message: text, ThreadID: nullString(a.thread.id)})...)
		_ = a.thread.client.Answer(a.approval, engine.Decision{Allow: true, Remember: true})
	}
}

// decision returns the decision about an approval: the word of the answer, or the choice of a question; "" if it is neither. Of a
// rule it returns the words, too.
func (r response) decision() (word string, rule []string) {
	var answer CommandExecutionRequestApprovalResponse // that of changes is the same, with fewer decisions
	if r.decode(&answer) {
		if amendment := answer.Decision.AcceptWithExecpolicyAmendment; amendment != nil {
			return decisionAcceptRule, amendment.ExecpolicyAmendment
		}
		return answer.Decision.Word, nil
	}
	var chosen ToolRequestUserInputResponse
	if !r.decode(&chosen) {
		return "", nil
	}
	answers := chosen.Answers[questionID(0)].Answers
	if len(answers) == 0 {
		return decisionDecline, nil
	}
	for _, choice := range serverChoices {
		if choice.label == answers[0] {
			return choice.decision, nil
		}
	}
	return "", nil
}

// decideQuestion takes the answers to questions of a tool.
func (c *conn) decideQuestion(a asked, r response) {
	if q, ok := pendingForm(a.thread.session, a.question); ok {
		c.decideElicitation(a, q, r)
		return
	}
	var answer ToolRequestUserInputResponse
	if !r.decode(&answer) {
		_ = a.thread.client.AnswerQuestion(a.question, nil)
		return
	}
	var answers [][]string
	for i := 0; ; i++ {
		given, ok := answer.Answers[questionID(i)]
		if !ok {
			break
		}
		answers = append(answers, given.Answers)
	}
	if err := a.thread.client.AnswerQuestion(a.question, answers); err != nil {
		_ = a.thread.client.RefuseQuestion(a.question, fmt.Sprintf("the answer cannot be used: %s", err)) // settled meanwhile: nothing to do
	}
}
