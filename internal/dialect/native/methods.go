package native

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A method is a request that clients may send.
type method struct {
	name           string
	level          rights.Level // that it needs
	read           func(wire.Object) (any, error)
	answer         func(c *conn, ctx context.Context, r request, params any)
	params, result reflect.Type                   // structs
	awaits         bool                           // its answer waits for the store; see awaiting
	begins         bool                           // it begins something that a host that closes would have to wait for
	enters         bool                           // it opens its session if the connection has not
	repeats        bool                           // it can be sent again if it is not known whether it was done
	needs          func(params any) []rights.Need // what params need besides; nil: nothing
}

// A request waits for one answer with its id.
type request struct {
	id     jsonrpc.ID
	method string
}

// built are the tables, once they are needed: a start of the program without a client does not build them.
var built struct {
	sync.Once
	methods []method
	table   jsonrpc.Methods
	rights  rights.Table
}

// methods returns the requests, in the order of the document.
func methods() []method {
	built.Do(build)
	return built.methods
}

// table returns what finds the methods by their names.
func table() jsonrpc.Methods {
	built.Do(build)
	return built.table
}

// allRights returns what each request needs.
func allRights() rights.Table {
	built.Do(build)
	return built.rights
}

// repeated are the methods that can be sent twice besides those that only read: with the id of the client, or because the
// second one changes nothing.
var repeated = []string{
	"turn/prompt", "turn/steer", "turn/follow_up", "command/run", "turn/interrupt", "retry/abort", "session/save", "session/put_blob",
	"approval/answer", "question/answer", "workspace/find", "workspace/read",
}

// neverEnters are the methods about a session that do not open it.
var neverEnters = []string{"session/close", "session/unfollow", "session/remove"}

func build() {
	methods := []method{
		free[InitializeParams, InitializeResult]("initialize", rights.Viewer, (*conn).initialize),
		plain("ping", rights.Viewer, (*conn).ping),
		plain("host/info", rights.Viewer, (*conn).hostInfo),
		free[Empty, Empty]("host/watch", rights.Viewer, (*conn).watchHost),
		free[ModelsListParams, ModelsListResult]("models/list", rights.Viewer, (*conn).models),
		within("tools/list", rights.Viewer, (*session).tools),
		plain("sessions/list", rights.Viewer, (*conn).list, checkSessionsList),
		awaiting(beginning(demanding(free[SessionCreateParams, Opened]("session/create", rights.Driver, (*conn).create, checkSessionCreate), needsOfCreate))),
		awaiting(free[SessionOpenParams, Opened]("session/open", rights.Viewer, (*conn).open)),
		demanding(free[SessionCloseParams, Empty]("session/close", rights.Viewer, (*conn).close), needsOfClose),
		awaiting(within("session/state", rights.Viewer, (*session).state)),
		free[SessionFollowParams, HeadResult]("session/follow", rights.Viewer, (*conn).follow, checkSessionFollow),
		free[SessionParams, Empty]("session/unfollow", rights.Viewer, (*conn).unfollow),
		within("session/records", rights.Viewer, (*session).records, checkSessionRecords),
		within("session/blob", rights.Viewer, (*session).blob, checkSessionBlob),
		apart("session/put_blob", rights.Driver, (*session).putBlob, checkSessionPutBlob),
		within("session/changes", rights.Viewer, (*session).changes),
		awaiting(demanding(within("session/change", rights.Driver, (*session).change), func(p *SessionChangeParams) []rights.Need { return needsOfSettings(p.Settings) })),
		awaiting(beginning(demanding(free[SessionForkParams, Opened]("session/fork", rights.Driver, (*conn).fork), func(p *SessionForkParams) []rights.Need {
			return append(needsOfSettings(p.Settings), rights.OfFolder(p.Workspace))
		}))),
		awaiting(within("session/restore", rights.Driver, (*session).restore)),
		awaiting(within("session/branch", rights.Driver, (*session).branch)),
		awaiting(within("session/label", rights.Driver, (*session).label)),
		beginning(within("session/compact", rights.Driver, (*session).compact)),
		apart("session/save", rights.Driver, (*session).save),
		free[SessionParams, Empty]("session/remove", rights.Owner, (*conn).remove),
		free[SessionExportParams, SessionExportResult]("session/export", rights.Viewer, (*conn).export),
		within("session/context", rights.Viewer, (*session).context),
		within("session/usage", rights.Viewer, (*session).usage),
		beginning(awaiting(within("turn/prompt", rights.Driver, (*session).prompt, checkPrompt))),
		awaiting(within("turn/steer", rights.Driver, (*session).steer, checkSteer)),
		awaiting(within("turn/follow_up", rights.Driver, (*session).followUp, checkSteer)),
		awaiting(within("turn/interrupt", rights.Driver, (*session).interrupt)),
		awaiting(within("queue/clear", rights.Driver, (*session).clearQueue)),
		within("retry/abort", rights.Driver, (*session).abortRetry),
		awaiting(demanding(within("approval/answer", rights.Reviewer, (*session).answerApproval, checkApprovalAnswer), needsOfAnswer)),
		awaiting(within("question/answer", rights.Reviewer, (*session).answerQuestion)),
		placed("grants/list", rights.Viewer, (*place).grants),
		demanding(placed("grants/add", rights.Owner, (*place).addGrant, checkGrantsAdd), needsOfGrant),
		placed("grants/revoke", rights.Owner, (*place).revokeGrants, checkGrantsRevoke),
		beginning(awaiting(within("command/run", rights.User, (*session).runCommand, checkCommandRun))),
		demanding(free[WorkspaceFindParams, WorkspaceFindResult]("workspace/find", rights.Driver, (*conn).findFiles, checkWorkspaceFind),
			func(p *WorkspaceFindParams) []rights.Need { return needsOfPlace(p.PlaceParams) }),
		free[WorkspaceReadParams, WorkspaceReadResult]("workspace/read", rights.Driver, (*conn).readFile, checkWorkspaceRead),
		within("servers/list", rights.Viewer, (*session).servers),
		plain("token/create", rights.User, (*conn).createToken, checkTokenCreate),
		plain("token/list", rights.User, (*conn).listTokens),
		plain("token/revoke", rights.User, (*conn).revokeToken),
	}
	rows := make([]jsonrpc.Method, len(methods))
	for i, m := range methods {
		methods[i].enters = !slices.Contains(neverEnters, m.name)
		methods[i].repeats = m.level == rights.Viewer || slices.Contains(repeated, m.name)
		rows[i] = jsonrpc.Method{Name: m.name, Read: m.read}
	}
	built.methods, built.table, built.rights = methods, jsonrpc.NewMethods(rows...), rightsOf(methods)
}

// free returns a method whose handler answers by itself, now or later.
func free[P, R any](name string, level rights.Level, handle func(*conn, context.Context, request, *P), checks ...func(*P) error) method {
	return method{
		name: name, level: level, read: jsonrpc.Read(checks...), params: reflect.TypeFor[P](), result: reflect.TypeFor[R](),
		answer: func(c *conn, ctx context.Context, r request, params any) { handle(c, ctx, r, params.(*P)) },
	}
}

// plain returns a method that is answered with what its handler returns.
func plain[P, R any](name string, level rights.Level, handle func(*conn, context.Context, *P) (R, error), checks ...func(*P) error) method {
	return free[P, R](name, level, func(c *conn, ctx context.Context, r request, p *P) {
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
func within[P, R any, PP sessionParams[P]](name string, level rights.Level, handle func(*session, context.Context, PP) (R, error), checks ...func(*P) error) method {
	return free[P, R](name, level, func(c *conn, ctx context.Context, r request, p *P) {
		s, err := c.enter(ctx, PP(p).sessionID(), "")
		if err != nil {
			c.fail(r.id, err)
			return
		}
		c.answerAround(s, r, func() (any, error) { return handle(s, ctx, p) })
	}, checks...)
}

// apart is within for a handler that waits for the store: other requests are handled meanwhile if that is deferred. The answer
// does not wait for records then. The handler uses nothing of the connection.
func apart[P, R any, PP sessionParams[P]](name string, level rights.Level, handle func(*session, context.Context, PP) (R, error), checks ...func(*P) error) method {
	m := within(name, level, handle, checks...)
	inOrder := m.answer
	m.answer = func(c *conn, ctx context.Context, r request, params any) {
		if !c.cfg.Host.Deferred() {
			inOrder(c, ctx, r, params)
			return
		}
		p := params.(*P)
		s, err := c.enter(ctx, PP(p).sessionID(), "")
		if err != nil {
			c.fail(r.id, err)
			return
		}
		c.later(r.id, func(ctx context.Context) (any, error) { return handle(s, ctx, p) })
	}
	return m
}

// beginning marks a method that begins something which a host that closes would have to wait for.
func beginning(m method) method {
	m.begins = true
	return m
}

// demanding adds what params need to a method.
func demanding[P any](m method, needs func(*P) []rights.Need) method {
	m.needs = func(params any) []rights.Need { return needs(params.(*P)) }
	return m
}

// methodOf returns the method of that name, which must exist.
func methodOf(name string) method {
	all := methods()
	return all[slices.IndexFunc(all, func(m method) bool { return m.name == name })]
}

// methodNames returns the methods that the connection may call, but initialize.
func (c *conn) methodNames() []string {
	names := []string{}
	for _, m := range methods()[1:] {
		if c.cfg.Rights.May(m.level) && c.offers(m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// offers reports whether the connection has a method: those of tokens are a host's.
func (c *conn) offers(name string) bool { return !ofTokens(name) || c.cfg.Tokens != nil }
