package acp

import (
	"context"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// loadSession opens a session and sends its past (session/load).
func (c *conn) loadSession(_ context.Context, id jsonrpc.ID, p *LoadSessionParams) {
	c.fail(id, noSession(p.SessionID))
}

// resumeSession opens a session (session/resume).
func (c *conn) resumeSession(_ context.Context, id jsonrpc.ID, p *ResumeSessionParams) {
	c.fail(id, noSession(p.SessionID))
}

// listSessions lists sessions (session/list).
func (c *conn) listSessions(_ context.Context, id jsonrpc.ID, _ *ListSessionsParams) {
	c.reply(id, ListSessionsResult{Sessions: []SessionInfo{}})
}

// closeSession leaves a session (session/close).
func (c *conn) closeSession(_ context.Context, id jsonrpc.ID, _ *SessionParams) { c.reply(id, Empty{}) }

// deleteSession removes a session (session/delete).
func (c *conn) deleteSession(_ context.Context, id jsonrpc.ID, _ *SessionParams) {
	c.reply(id, Empty{})
}
