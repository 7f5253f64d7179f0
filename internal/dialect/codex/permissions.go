package codex

import (
	"cmp"
	"net/url"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file requests the permission to use the network, and takes the answers (item/permissions/requestApproval).

// isNetwork reports whether an approval is for an address and nothing else.
func isNetwork(r approval.Request) bool {
	return r.URL != "" && r.Command == "" && r.Server == "" && len(r.Paths) == 0
}

// networkPermission returns the request. The reason has the address: the permission itself does not.
func (v *view) networkPermission(c *call, e event.ApprovalAsked) PermissionsRequestApprovalParams {
	enabled := true
	reason := []string{appserver.ShortSummary(cmp.Or(e.Request.Summary, e.Request.URL))}
	return PermissionsRequestApprovalParams{
		ThreadID: v.thread, TurnID: v.turn.id, ItemID: c.item.id, StartedAtMS: v.now.UnixMilli(), EnvironmentID: "local", Cwd: v.dir,
		Permissions: RequestPermissionProfile{Network: &AdditionalNetworkPermissions{Enabled: &enabled}},
		Reason:      nullString(strings.Join(append(reason, e.Details()...), "; ")),
	}
}

// pendingNetwork returns the request of a pending approval for an address; false: it is none, or not pending any more.
func pendingNetwork(s *engine.Session, id event.ApprovalID) (approval.Request, bool) {
	approvals, _ := s.Waiting()
	for _, asked := range approvals {
		if asked.ID == id && isNetwork(asked.Request) {
			return asked.Request, true
		}
	}
	return approval.Request{}, false
}

// decidePermission takes the answer about an address. A permission is for its host, until the turn or the session ends: the user has
// seen no other. Without the permission the call is declined; what is no answer makes it fail.
func (c *conn) decidePermission(a asked, r approval.Request, answer response) {
	client := a.thread.client
	var given PermissionsRequestApprovalResponse
	if !answer.decode(&given) {
		_ = client.Answer(a.approval, engine.Decision{Broken: true, Reason: textBroken}) // settled meanwhile: nothing to do
		return
	}
	network := given.Permissions.Network
	if network == nil || !isTrue(network.Enabled) {
		_ = client.Answer(a.approval, engine.Decision{}) // as above
		return
	}
	allowed := []engine.ApprovalAnswer{{ID: a.approval, Decision: engine.Decision{Allow: true}}}
	grant, ok := hostGrant(r)
	switch {
	case !ok:
		_ = client.AnswerAll(allowed) // as above
	case given.Scope == PermissionGrantScopeSession:
		_ = client.AnswerAll(allowed, grant) // as above
	default:
		_ = client.AnswerForTurn(a.approval, grant) // as above
	}
}

// hostGrant returns a grant for the host of a request's address; false: none would cover the request.
func hostGrant(r approval.Request) (approval.Grant, bool) {
	address, err := url.Parse(r.URL)
	if err != nil {
		return approval.Grant{}, false
	}
	g := approval.Grant{Target: approval.Target{Kind: approval.TargetDomain, Pattern: address.Host}, Level: r.Level, Scope: approval.Session}
	var set approval.GrantSet
	if _, err := set.AddGrant(g); err != nil {
		return g, false
	}
	return g, set.Covers(r)
}
