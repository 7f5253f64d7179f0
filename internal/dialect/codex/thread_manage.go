package codex

import (
	"cmp"
	"context"
	"errors"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file changes threads, and ends the use of them.

// threadUnsubscribe ends the subscription to a thread (thread/unsubscribe).
func (c *conn) threadUnsubscribe(ctx context.Context, id jsonrpc.ID, p *ThreadUnsubscribeParams) {
	t := c.subscribed(p.ThreadID)
	if t == nil {
		status := ThreadUnsubscribeStatusNotLoaded
		if _, err := c.cfg.Host.Session(event.SessionID(p.ThreadID)); err == nil {
			status = ThreadUnsubscribeStatusNotSubscribed
		}
		c.reply(id, ThreadUnsubscribeResponse{status})
		return
	}
	t.pump.Around(func() [][]byte {
		return [][]byte{resultLine(id, ThreadUnsubscribeResponse{ThreadUnsubscribeStatusUnsubscribed})}
	})
	c.leave(ctx, t)
}

// leave ends the subscription to a thread.
func (c *conn) leave(ctx context.Context, t *thread) {
	t.left.Store(true)
	c.pumping.Go(t.compacts.Wait)
	delete(c.threads, t.id)
	if err := t.pump.Leave(ctx, t.client); err != nil {
		c.cfg.Log.Error("thread not saved", "thread", t.id, "error", err)
	}
	if t.ephemeral && c.cfg.Host.Holders(event.SessionID(t.id)) == 0 {
		c.remove(ctx, t)
	}
}

// change does something to a thread that may not be open, and answers.
func (c *conn) change(ctx context.Context, id jsonrpc.ID, threadID string, result any, do func(*engine.Session, *engine.Client) error) {
	if t := c.subscribed(threadID); t != nil {
		t.pump.Around(func() [][]byte {
			if err := do(t.session, t.client); err != nil {
				return [][]byte{c.failLine(id, threadID, err)}
			}
			return [][]byte{resultLine(id, result)}
		})
		return
	}
	s, err := c.cfg.Host.Open(ctx, event.SessionID(threadID), Options())
	if err == nil {
		err = errors.Join(do(s, s.Join(engine.ClientInfo{Name: c.client.Name})), s.Close(ctx))
	}
	if err != nil {
		c.fail(id, threadID, err)
		return
	}
	c.reply(id, result)
}

// post sends the notification of what a connection that does not subscribe to the thread has caused.
func (c *conn) post(threadID, method string, params any) {
	if c.subscribed(threadID) != nil {
		return // its records cause it
	}
	for _, line := range c.announce(method, params) {
		c.out.Post(line)
	}
}

// threadNameSet names a thread (thread/name/set).
func (c *conn) threadNameSet(ctx context.Context, id jsonrpc.ID, p *ThreadSetNameParams) {
	c.change(ctx, id, p.ThreadID, ThreadSetNameResponse{}, func(s *engine.Session, client *engine.Client) error {
		return errors.Join(client.Change(func(set *event.Settings) { set.Name = p.Name }), s.Save())
	})
	c.post(p.ThreadID, "thread/name/updated", ThreadNameUpdatedNotification{ThreadID: p.ThreadID, ThreadName: p.Name})
}

// threadArchive takes a thread off the list (thread/archive). A running turn is interrupted, and the thread closed.
func (c *conn) threadArchive(ctx context.Context, id jsonrpc.ID, p *ThreadArchiveParams) {
	c.change(ctx, id, p.ThreadID, ThreadArchiveResponse{}, func(s *engine.Session, client *engine.Client) error {
		s.Queue().Hold() // the session ends, and what waits begins when it is opened again
		client.Interrupt()
		return errors.Join(client.Change(func(set *event.Settings) { set.Archived = true }), s.Save())
	})
	c.post(p.ThreadID, "thread/archived", ThreadArchivedNotification{p.ThreadID})
	c.end(ctx, p.ThreadID, engine.EndedByClient)
}

// end closes a thread for all, if it is open.
func (c *conn) end(ctx context.Context, id string, reason engine.EndReason) {
	open, err := c.cfg.Host.Session(event.SessionID(id))
	if err != nil {
		return
	}
	if err := open.End(ctx, reason); err != nil {
		c.cfg.Log.Error("thread not saved", "thread", id, "error", err)
	}
}

// threadUnarchive puts a thread on the list again (thread/unarchive).
func (c *conn) threadUnarchive(ctx context.Context, id jsonrpc.ID, p *ThreadUnarchiveParams) {
	s, err := c.cfg.Host.Open(ctx, event.SessionID(p.ThreadID), Options())
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	err = errors.Join(s.Join(engine.ClientInfo{Name: c.client.Name}).Change(func(set *event.Settings) { set.Archived = false }), s.Save())
	shown := c.shownOpen(s)
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	c.reply(id, ThreadUnarchiveResponse{shown})
	c.post(p.ThreadID, "thread/unarchived", ThreadUnarchivedNotification{p.ThreadID})
}

// threadDelete removes a thread (thread/delete). A running turn is interrupted.
func (c *conn) threadDelete(ctx context.Context, id jsonrpc.ID, p *ThreadDeleteParams) {
	if t := c.threads[p.ThreadID]; t != nil {
		t.left.Store(true)
		delete(c.threads, p.ThreadID)
	}
	c.end(ctx, p.ThreadID, engine.EndedRemoved)
	if err := c.cfg.Host.Remove(ctx, event.SessionID(p.ThreadID)); err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	c.reply(id, ThreadDeleteResponse{})
	c.post(p.ThreadID, "thread/deleted", ThreadDeletedNotification{p.ThreadID})
}

// threadSettingsUpdate changes what holds from the next turn on (thread/settings/update).
func (c *conn) threadSettingsUpdate(ctx context.Context, id jsonrpc.ID, p *ThreadSettingsUpdateParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.Around(func() [][]byte {
		err := c.override(t, overrides{
			model: p.Model, cwd: p.Cwd, policy: p.ApprovalPolicy, sandbox: p.SandboxPolicy, permissions: p.Permissions, effort: p.Effort,
			summary: p.Summary, personality: p.Personality, collaboration: p.CollaborationMode,
		})
		if err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		return [][]byte{resultLine(id, ThreadSettingsUpdateResponse{})}
	})
}

// threadMetadataUpdate stores what a client knows of the thread's repository (thread/metadata/update). There are no projects here.
func (c *conn) threadMetadataUpdate(ctx context.Context, id jsonrpc.ID, p *ThreadMetadataUpdateParams) {
	var answer ThreadMetadataUpdateResponse
	c.change(ctx, id, p.ThreadID, &answer, func(s *engine.Session, client *engine.Client) error {
		var err error
		if git := p.GitInfo; git != nil {
			change := editExtra(func(x *extra) {
				x.Git = GitInfo{
					Branch: cmp.Or(nullString(git.Branch), x.Git.Branch), OriginURL: cmp.Or(nullString(git.OriginURL), x.Git.OriginURL), SHA: cmp.Or(nullString(git.SHA), x.Git.SHA),
				}
			})
			err = errors.Join(client.Change(change), s.Save())
		}
		answer.Thread = c.shownOpen(s)
		return err
	})
}
