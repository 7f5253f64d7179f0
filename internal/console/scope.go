package console

import (
	"net/url"
	"slices"

	"parley.dev/parley/internal/approval"
)

// A scope is what the answer "not again in this session" covers. It is never a pattern made of
// text of a model.
type scope struct {
	exactly bool // the very same call
	grant   approval.Grant
	text    string
}

// scopeOf returns the scope that a request of a session in workspace is offered; false if none
// would cover it.
func scopeOf(r approval.Request, workspace string) (scope, bool) {
	s := scope{grant: approval.Grant{Level: r.Level, Scope: approval.Session}}
	write := func(p approval.Path) bool { return p.Write }
	switch u, err := url.Parse(r.URL); {
	case r.Command != "":
		s.exactly, s.text = true, "this command in "+r.Dir
	case r.Server != "":
		s.grant.Target = approval.Target{Kind: approval.TargetTool, Server: r.Server, Tool: r.Tool}
		s.text = "calls of " + r.Tool
	case r.URL != "" && err == nil && u.Host != "":
		s.grant.Target = approval.Target{Kind: approval.TargetDomain, Pattern: u.Host}
		s.text = "requests to " + u.Host
	case len(r.Paths) == 0:
		return scope{}, false
	case slices.ContainsFunc(r.Paths, func(p approval.Path) bool { return p.Outside || p.Protected }):
		s.exactly, s.text = true, "this file"
	case slices.ContainsFunc(r.Paths, write):
		s.grant.Target = approval.Target{Kind: approval.TargetPath, Path: workspace, Recursive: true}
		s.text = "changes of files in " + workspace
	default:
		s.grant.Target = approval.Target{Kind: approval.TargetPath, Path: workspace, Recursive: true}
		s.text = "reading files in " + workspace
	}
	var grants approval.GrantSet
	if s.exactly {
		grants.Add(r)
	} else if _, err := grants.AddGrant(s.grant); err != nil {
		return scope{}, false
	}
	return s, grants.Covers(r)
}
