package acp

import (
	"context"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A method is a row of the table of what a client can send.
type method struct {
	jsonrpc.Method
	unstable bool // it is there with Flags.Unstable
	note     bool // a notification
	handle   func(c *conn, ctx context.Context, id jsonrpc.ID, params any)
}

// request returns the row of a request whose answer do sends, now or later.
func request[P any](name string, do func(*conn, context.Context, jsonrpc.ID, *P), checks ...func(*P) error) method {
	return method{
		Method: jsonrpc.Method{Name: name, Read: jsonrpc.Read(checks...)},
		handle: func(c *conn, ctx context.Context, id jsonrpc.ID, params any) { do(c, ctx, id, params.(*P)) },
	}
}

// note returns the row of a notification.
func note[P any](name string, do func(*conn, *P), checks ...func(*P) error) method {
	return method{
		Method: jsonrpc.Method{Name: name, Read: jsonrpc.Read(checks...)}, note: true,
		handle: func(c *conn, _ context.Context, _ jsonrpc.ID, params any) { do(c, params.(*P)) },
	}
}

// unstable makes a method one of the unstable part.
func unstable(m method) method {
	m.unstable = true
	return m
}

// methods1 returns what a client of version 1 can send, in the order of the document.
var methods1 = lazy.Value[methodTable]{New: func() methodTable {
	return tableOf([]method{
		request("initialize", (*conn).initialize, checkInitialize),
		request("authenticate", (*conn).authenticate),
		request("logout", (*conn).logout),
		request("session/new", (*conn).newSession, checkNewSession),
		request("session/load", (*conn).loadSession, checkLoadSession),
		request("session/resume", (*conn).resumeSession, checkResumeSession),
		request("session/list", (*conn).listSessions, checkListSessions),
		request("session/close", (*conn).closeSession),
		request("session/delete", (*conn).deleteSession),
		unstable(request("session/fork", (*conn).forkSession, checkForkSession)),
		unstable(request("session/set_title", (*conn).setTitle, checkSetTitle)),
		unstable(request("session/archive", (*conn).archive)),
		unstable(request("session/unarchive", (*conn).unarchive)),
		unstable(request("session/status", (*conn).status)),
		request("session/set_mode", (*conn).setMode),
		request("session/set_config_option", (*conn).setConfigOption, checkSetConfigOption),
		request("session/prompt", (*conn).prompt, checkPrompt),
		note("session/cancel", (*conn).cancel),
		request("_session/steering", (*conn).steer, checkSteer),
		note("$/cancel_request", (*conn).cancelRequest, checkCancelRequest),
	})
}}
