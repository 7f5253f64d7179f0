package native

import (
	"context"
	"reflect"
	"slices"

	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A method is a request that clients may send.
type method struct {
	name           string
	role           Role // that it needs
	read           func(wire.Object) (any, error)
	answer         func(c *conn, ctx context.Context, r request, params any)
	params, result reflect.Type // structs
	begins         bool         // it begins something that a host that closes would have to wait for
	// demands returns the role that params need, and what needs it; nil: they need no other than the method.
	demands func(params any) (Role, string)
}

// A request waits for one answer with its id.
type request struct {
	id     jsonrpc.ID
	method string
}

// methods are the requests, in the order of the document. They are set by init since initialize lists them.
var methods []method

// table finds the methods by their names.
var table jsonrpc.Methods

func init() {
	methods = []method{
		free[InitializeParams, InitializeResult]("initialize", Viewer, (*conn).initialize),
		plain("ping", Viewer, (*conn).ping),
		plain("host/info", Viewer, (*conn).hostInfo),
		free[Empty, Empty]("host/watch", Viewer, (*conn).watchHost),
		free[ModelsListParams, ModelsListResult]("models/list", Viewer, (*conn).models),
		within("tools/list", Viewer, (*session).tools),
		plain("sessions/list", Viewer, (*conn).list, checkSessionsList),
		beginning(free[SessionCreateParams, Opened]("session/create", Driver, (*conn).create, checkSessionCreate)),
		free[SessionOpenParams, Opened]("session/open", Viewer, (*conn).open),
		demanding(free[SessionCloseParams, Empty]("session/close", Viewer, (*conn).close), demandsOfClose),
		within("session/state", Viewer, (*session).state),
		free[SessionFollowParams, HeadResult]("session/follow", Viewer, (*conn).follow, checkSessionFollow),
		free[SessionParams, Empty]("session/unfollow", Viewer, (*conn).unfollow),
		within("session/records", Viewer, (*session).records, checkSessionRecords),
		within("session/blob", Viewer, (*session).blob, checkSessionBlob),
		within("session/put_blob", Driver, (*session).putBlob, checkSessionPutBlob),
		within("session/changes", Viewer, (*session).changes),
		within("session/change", Driver, (*session).change),
		beginning(free[SessionForkParams, Opened]("session/fork", Driver, (*conn).fork)),
		within("session/restore", Driver, (*session).restore),
		within("session/branch", Driver, (*session).branch),
		within("session/label", Driver, (*session).label),
		beginning(within("session/compact", Driver, (*session).compact)),
		within("session/save", Driver, (*session).save),
		free[SessionParams, Empty]("session/remove", Owner, (*conn).remove),
		free[SessionExportParams, SessionExportResult]("session/export", Viewer, (*conn).export),
		within("session/context", Viewer, (*session).context),
		within("session/usage", Viewer, (*session).usage),
		beginning(within("turn/prompt", Driver, (*session).prompt, checkPrompt)),
		within("turn/steer", Driver, (*session).steer, checkSteer),
		within("turn/follow_up", Driver, (*session).followUp, checkSteer),
		within("turn/interrupt", Driver, (*session).interrupt),
		within("queue/clear", Driver, (*session).clearQueue),
		within("retry/abort", Driver, (*session).abortRetry),
		demanding(within("approval/answer", Reviewer, (*session).answerApproval, checkApprovalAnswer), demandsOfAnswer),
		within("question/answer", Reviewer, (*session).answerQuestion),
		placed("grants/list", Viewer, (*place).grants),
		placed("grants/add", Owner, (*place).addGrant, checkGrantsAdd),
		placed("grants/revoke", Owner, (*place).revokeGrants, checkGrantsRevoke),
		beginning(within("command/run", Owner, (*session).runCommand, checkCommandRun)),
		free[WorkspaceFindParams, WorkspaceFindResult]("workspace/find", Driver, (*conn).findFiles, checkWorkspaceFind),
		free[WorkspaceReadParams, WorkspaceReadResult]("workspace/read", Driver, (*conn).readFile, checkWorkspaceRead),
		within("servers/list", Viewer, (*session).servers),
		plain("token/create", Owner, (*conn).createToken, checkTokenCreate),
		plain("token/list", Owner, (*conn).listTokens),
		plain("token/revoke", Owner, (*conn).revokeToken),
	}
	rows := make([]jsonrpc.Method, len(methods))
	for i, m := range methods {
		rows[i] = jsonrpc.Method{Name: m.name, Read: m.read}
	}
	table = jsonrpc.NewMethods(rows...)
}

// free returns a method whose handler answers by itself, now or later.
func free[P, R any](name string, role Role, handle func(*conn, context.Context, request, *P), checks ...func(*P) error) method {
	return method{
		name: name, role: role, read: jsonrpc.Read(checks...), params: reflect.TypeFor[P](), result: reflect.TypeFor[R](),
		answer: func(c *conn, ctx context.Context, r request, params any) { handle(c, ctx, r, params.(*P)) },
	}
}

// plain returns a method that is answered with what its handler returns.
func plain[P, R any](name string, role Role, handle func(*conn, context.Context, *P) (R, error), checks ...func(*P) error) method {
	return free[P, R](name, role, func(c *conn, ctx context.Context, r request, p *P) {
		result, err := handle(c, ctx, p)
		c.answer(r.id, result, err)
	}, checks...)
}

// sessionParams are params that name a session: they embed [SessionParams].
type sessionParams[P any] interface {
	*P
	sessionID() string
}

func (p *SessionParams) sessionID() string { return p.Session }

// within returns a method of a session, which is opened if the connection has not opened it. The answer comes after the
// records that existed before it, and before those that it causes.
func within[P, R any, PP sessionParams[P]](name string, role Role, handle func(*session, context.Context, PP) (R, error), checks ...func(*P) error) method {
	return free[P, R](name, role, func(c *conn, ctx context.Context, r request, p *P) {
		s, err := c.enter(ctx, PP(p).sessionID(), "")
		if err != nil {
			c.fail(r.id, err)
			return
		}
		s.watched.pump.Around(func() [][]byte {
			result, err := handle(s, ctx, p)
			return [][]byte{answerLine(r.id, result, err)}
		})
	}, checks...)
}

// beginning marks a method that begins something which a host that closes would have to wait for.
func beginning(m method) method {
	m.begins = true
	return m
}

// demanding adds what params need to a method.
func demanding[P any](m method, demands func(*P) (Role, string)) method {
	m.demands = func(params any) (Role, string) { return demands(params.(*P)) }
	return m
}

// needs returns the role that a request needs, and what needs it.
func (m method) needs(params any) (Role, string) {
	if m.demands != nil {
		return m.demands(params)
	}
	return m.role, m.name
}

// methodOf returns the method of that name, which must exist.
func methodOf(name string) method {
	return methods[slices.IndexFunc(methods, func(m method) bool { return m.name == name })]
}

// methodNames returns the methods that the connection may call, but initialize.
func (c *conn) methodNames() []string {
	names := []string{}
	for _, m := range methods[1:] {
		if c.cfg.Role.may(m.role) && c.offers(m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// offers reports whether the connection has a method: those of tokens are a host's.
func (c *conn) offers(name string) bool { return !ofTokens(name) || c.cfg.Tokens != nil }
