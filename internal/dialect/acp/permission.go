package acp

import (
	"errors"
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// The options of requests for permission.
const (
	optionAllowOnce     = "allow-once"
	optionAllowSession  = "allow-session"
	optionAllowAlways   = "allow-always"
	optionRejectOnce    = "reject-once"
	optionRejectSession = "reject-always"
)

// requestPermission returns the line with the request for an approval; nil if no client is left.
func (s *session) requestPermission(a approvalRequest) []byte {
	id, ok := s.conn.requests.add(func(f jsonrpc.Frame) { s.decide(a.approval, a.params.Options, f) })
	if !ok {
		return nil
	}
	s.permissionRequests[a.approval] = id
	a.params.SessionID = s.id
	return requestLine(id, "session/request_permission", s.conn.edition.permission(a.params))
}

// exactGrants returns the grants for exactly a request; none that the client may not store.
func (s *session) exactGrants(r approval.Request, scope approval.Scope) []approval.Grant {
	if scope == approval.Always && !s.conn.mayGrant() {
		return nil
	}
	return s.eng.Grants().Exact(r, scope)
}

// withdrawPermission returns the line that withdraws the request for an approval; nil if the client has answered it.
func (s *session) withdrawPermission(asked event.ApprovalID) []byte {
	id, ok := s.permissionRequests[asked]
	if !ok {
		return nil
	}
	delete(s.permissionRequests, asked)
	return s.conn.requests.withdraw(id)
}

// decide answers an approval as the client does. What cannot be read, or was not offered, is a refusal.
func (s *session) decide(id event.ApprovalID, offered []PermissionOption, f jsonrpc.Frame) {
	result, ok := decodeResult[PermissionResult](f.Result)
	outcome := result.Outcome
	d := engine.Decision{}
	switch {
	case f.Error != nil || !ok:
	case outcome.Outcome == "cancelled":
		d.Interrupt = true
	case outcome.OptionID == optionAllowAlways && !s.conn.mayGrant():
		refusal := &rights.Refusal{Method: allowAlways, Needs: table.Get().Level(allowAlways)}
		s.conn.cfg.Rights.Refused(refusal, s.id)
		d = engine.Decision{Broken: true, Reason: refusal.Error()} // the user has not denied it
	case !slices.ContainsFunc(offered, func(o PermissionOption) bool { return o.OptionID == outcome.OptionID }):
	case outcome.OptionID == optionAllowOnce:
		d.Allow = true
	case outcome.OptionID == optionAllowSession:
		d.Allow, d.Remember = true, true
	case outcome.OptionID == optionAllowAlways:
		if err := s.client.AnswerAlways(id); err == nil || errors.Is(err, engine.ErrNoApproval) {
			return
		}
		d.Allow = true // no grant can be stored: this call is allowed all the same
	case outcome.OptionID == optionRejectSession:
		d.Remember = true
	case outcome.OptionID == modeAutoEdit, outcome.OptionID == modeAsk: // a plan is approved
		d = s.leavePlan(outcome.OptionID)
	}
	_ = s.client.Answer(id, d) // settled meanwhile: nothing to do
}

// leavePlan changes the mode to the one in which a plan is carried out, and approves the plan.
func (s *session) leavePlan(mode string) engine.Decision {
	if err := s.client.Change(func(settings *event.Settings) { setMode(settings, mode) }); err != nil {
		s.conn.cfg.Log.Error("mode not changed", "session", s.id, "error", err)
		return engine.Decision{Reason: "the mode cannot be changed: " + err.Error()}
	}
	return engine.Decision{Allow: true}
}
