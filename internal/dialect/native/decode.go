package native

import (
	"slices"

	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// frames is how this protocol does JSON-RPC, in and out.
var frames = jsonrpc.Options{Version: true}

// A method is a request that clients may send.
type method struct {
	name string
	role Role // that it needs
	read func(wire.Object) (any, error)
}

// methods are the requests, in the order of the document.
var methods = []method{
	{"initialize", Viewer, jsonrpc.Read[InitializeParams]()},
	{"ping", Viewer, jsonrpc.Read[Empty]()},
	{"host/info", Viewer, jsonrpc.Read[Empty]()},
	{"models/list", Viewer, jsonrpc.Read[ModelsListParams]()},
	{"tools/list", Viewer, jsonrpc.Read[SessionParams]()},
	{"sessions/list", Viewer, jsonrpc.Read(checkSessionsList)},
	{"session/create", Driver, jsonrpc.Read(checkSessionCreate)},
	{"session/open", Viewer, jsonrpc.Read[SessionOpenParams]()},
	{"session/close", Viewer, jsonrpc.Read[SessionCloseParams]()},
	{"session/state", Viewer, jsonrpc.Read[SessionParams]()},
	{"session/follow", Viewer, jsonrpc.Read(checkSessionFollow)},
	{"session/unfollow", Viewer, jsonrpc.Read[SessionParams]()},
	{"session/records", Viewer, jsonrpc.Read(checkSessionRecords)},
	{"session/blob", Viewer, jsonrpc.Read(checkSessionBlob)},
	{"session/change", Driver, jsonrpc.Read[SessionChangeParams]()},
	{"session/fork", Driver, jsonrpc.Read[SessionForkParams]()},
	{"session/branch", Driver, jsonrpc.Read[SessionBranchParams]()},
	{"session/label", Driver, jsonrpc.Read[SessionLabelParams]()},
	{"session/compact", Driver, jsonrpc.Read[SessionCompactParams]()},
	{"session/save", Driver, jsonrpc.Read[SessionParams]()},
	{"session/remove", Owner, jsonrpc.Read[SessionParams]()},
	{"session/context", Viewer, jsonrpc.Read[SessionParams]()},
	{"session/usage", Viewer, jsonrpc.Read[SessionParams]()},
	{"turn/prompt", Driver, jsonrpc.Read(checkPrompt)},
	{"turn/steer", Driver, jsonrpc.Read(checkSteer)},
	{"turn/follow_up", Driver, jsonrpc.Read(checkSteer)},
	{"turn/interrupt", Driver, jsonrpc.Read[TurnInterruptParams]()},
	{"queue/clear", Driver, jsonrpc.Read[QueueClearParams]()},
	{"retry/abort", Driver, jsonrpc.Read[SessionParams]()},
	{"approval/answer", Reviewer, jsonrpc.Read[ApprovalAnswerParams]()},
	{"question/answer", Reviewer, jsonrpc.Read[QuestionAnswerParams]()},
	{"servers/list", Viewer, jsonrpc.Read[SessionParams]()},
	{"token/create", Owner, jsonrpc.Read(checkTokenCreate)},
	{"token/list", Owner, jsonrpc.Read[Empty]()},
	{"token/revoke", Owner, jsonrpc.Read[TokenRevokeParams]()},
}

// table finds the methods by their names.
var table = func() jsonrpc.Methods {
	var rows []jsonrpc.Method
	for _, m := range methods {
		rows = append(rows, jsonrpc.Method{Name: m.name, Read: m.read})
	}
	return jsonrpc.NewMethods(rows...)
}()

// begins reports whether a method begins something that a host that closes would have to wait for.
func begins(name string) bool {
	return slices.Contains([]string{"turn/prompt", "session/create", "session/fork", "session/compact"}, name)
}

// roleOf returns the role that a method needs.
func roleOf(name string) Role {
	return methods[slices.IndexFunc(methods, func(m method) bool { return m.name == name })].role
}

// namesFor returns the methods that a role may call, but initialize; tokens says whether there are those of tokens.
func namesFor(role Role, tokens bool) []string {
	names := []string{}
	for _, m := range methods[1:] {
		if role.may(m.role) && (tokens || !ofTokens(m.name)) {
			names = append(names, m.name)
		}
	}
	return names
}

func checkSessionsList(p *SessionsListParams) error {
	return inRange("limit", p.Limit, 0, 1000)
}

func checkSessionCreate(p *SessionCreateParams) error {
	if p.Workspace == "" {
		return problem("workspace", "must not be empty")
	}
	return nil
}

func checkSessionFollow(p *SessionFollowParams) error {
	for _, kind := range p.Transient {
		if kind.Durable() {
			return problem("transient", "names "+string(kind)+", which is not a kind of transient records")
		}
	}
	return inRange("pace_ms", p.PaceMS, 0, 60_000)
}

func checkSessionRecords(p *SessionRecordsParams) error {
	if p.Limit == 0 {
		p.Limit = 100
	}
	return inRange("limit", p.Limit, 1, 1000)
}

func checkSessionBlob(p *SessionBlobParams) error {
	if p.Limit == 0 {
		p.Limit = BlobLimit
	}
	if err := inRange("limit", p.Limit, 1, BlobLimit); err != nil {
		return err
	}
	return inRange("offset", p.Offset, 0, 1<<40)
}

func checkPrompt(p *TurnPromptParams) error { return notEmpty("id", p.ID) }

func checkSteer(p *TurnSteerParams) error { return notEmpty("id", p.ID) }

func notEmpty(member, text string) error {
	if text == "" {
		return problem(member, "must not be empty")
	}
	return nil
}

func inRange(member string, n, least, most int) error {
	switch {
	case n < least:
		return problem(member, "is too small")
	case n > most:
		return problem(member, "is too large")
	}
	return nil
}

// problem returns the error about a member, worded to follow its name.
func problem(member, what string) error { return &wire.FieldError{Field: member, Problem: what} }
