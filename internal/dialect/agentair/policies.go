package agentair

import (
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// refuseDestructive denies commands that destroy what cannot be restored, whatever else allows them.
type refuseDestructive struct{ engine.ApprovalPolicy }

// Decide implements engine.ApprovalPolicy.
func (p refuseDestructive) Decide(c engine.Proposed) approval.Decision {
	if what := approval.Destructive(c.Request.Command, c.Home); what != "" {
		return approval.Decision{Verdict: approval.Deny, Reason: "refused: the command " + what + "; it is never run"}
	}
	return p.ApprovalPolicy.Decide(c)
}

// forgetInterrupted takes interrupted turns out of the history.
type forgetInterrupted struct{}

var _ engine.TurnKeeper = forgetInterrupted{}

// KeepsTurn implements engine.TurnKeeper.
func (forgetInterrupted) KeepsTurn(reason event.TurnReason) bool {
	return reason != event.TurnInterrupted
}
