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
	if what := approval.Destructive(c.Request.Command, c.Request.Dir, c.Home); what != "" {
		return approval.Decision{Verdict: approval.Deny, Reason: "refused: the command " + what + "; it is never run"}
	}
	return p.ApprovalPolicy.Decide(c)
}

// approveByPolicy decides by the policy that is stored with a session. See Flags.store.
type approveByPolicy struct{}

var _ engine.ApprovalPolicy = approveByPolicy{}

func (approveByPolicy) of(settings event.Settings) engine.ApprovalPolicy {
	switch {
	case settings.Asking == "", settings.Asking == approval.AskAlways && settings.Sandbox.Kind == approval.SandboxNone:
		if len(settings.RefusedApprovals) > 0 {
			return engine.ApproveUngranted{Verdict: approval.Deny, Reason: textPolicy}
		}
		return engine.ApproveUngranted{Verdict: approval.Ask}
	case settings.Asking == approval.AskNever && settings.Sandbox.Kind == approval.SandboxNone:
		return engine.ApproveUngranted{Verdict: approval.Allow}
	}
	return engine.ApproveBySandbox{}
}

// Decide implements engine.ApprovalPolicy.
func (p approveByPolicy) Decide(c engine.Proposed) approval.Decision {
	return p.of(c.Settings).Decide(c)
}

// Fits implements engine.ApprovalPolicy.
func (approveByPolicy) Fits(event.Settings) bool { return true }

// Asks implements engine.ApprovalPolicy.
func (p approveByPolicy) Asks(settings event.Settings) bool { return p.of(settings).Asks(settings) }

// Confines implements engine.ApprovalPolicy.
func (p approveByPolicy) Confines(settings event.Settings) bool {
	return p.of(settings).Confines(settings)
}

// Unconfines implements engine.ApprovalPolicy.
func (p approveByPolicy) Unconfines(settings event.Settings) bool {
	return p.of(settings).Unconfines(settings)
}

// Describe implements engine.ApprovalPolicy.
func (p approveByPolicy) Describe(settings event.Settings, needs string) string {
	return p.of(settings).Describe(settings, needs)
}

// forgetInterrupted takes interrupted turns out of the history.
type forgetInterrupted struct{}

var _ engine.TurnKeeper = forgetInterrupted{}

// KeepsTurn implements engine.TurnKeeper.
func (forgetInterrupted) KeepsTurn(reason event.TurnReason) bool {
	return reason != event.TurnInterrupted
}
