package acp

import (
	"cmp"
	"context"
	"path/filepath"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	shorten "parley.dev/parley/internal/text"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// pageSize is how many sessions are listed at once.
const pageSize = 50

// listSessions lists sessions (session/list). It opens none.
func (c *conn) listSessions(_ context.Context, id jsonrpc.ID, p *ListSessionsParams) {
	c.later("", id, func(ctx context.Context) (any, error) { return c.list(ctx, p) })
}

func (c *conn) list(ctx context.Context, p *ListSessionsParams) (ListSessionsResult, error) {
	q := engine.Query{Cursor: p.Cursor, WithTurns: true}
	if p.Cwd != "" {
		q.Workspace = resolved(p.Cwd)
	}
	if c.cfg.Flags.Unstable {
		q.All, q.Archived = p.Archived == "include", p.Archived == "only"
	}
	result := ListSessionsResult{Sessions: []SessionInfo{}}
	for {
		q.Limit = pageSize - len(result.Sessions)
		page, err := c.cfg.Host.List(ctx, q)
		if err != nil {
			return ListSessionsResult{}, err
		}
		for _, s := range page.Sessions {
			if !c.isSubagent(ctx, s) {
				result.Sessions = append(result.Sessions, c.infoOf(s))
			}
		}
		if page.Next == "" || len(result.Sessions) == pageSize {
			result.NextCursor = page.Next
			return result, nil
		}
		q.Cursor = page.Next
	}
}

// resolved returns a path with symlinks resolved, if it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// isSubagent reports whether a session works for a tool call of another one: it was made as an archived one.
func (c *conn) isSubagent(ctx context.Context, s engine.Summary) bool {
	if !s.Archived || s.Parent == "" {
		return false
	}
	for rec, err := range c.cfg.Host.Read(ctx, s.ID) {
		created, ok := rec.Event.(event.SessionCreated)
		return err == nil && ok && created.Settings.Archived
	}
	return false
}

// infoOf returns a session as lists have it.
func (c *conn) infoOf(s engine.Summary) SessionInfo {
	return SessionInfo{
		SessionID: string(s.ID), Cwd: s.Workspace, Title: shorten.Clip(oneLine(cmp.Or(s.Name, s.Title)), titleLimit, "…"),
		UpdatedAt: stamp(s.Updated), Archived: s.Archived && c.cfg.Flags.Unstable,
	}
}
