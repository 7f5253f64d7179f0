package codex

import (
	"context"
	"iter"
	"reflect"
	"slices"
	"sync/atomic"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// A thread is a session that this connection subscribes to.
type thread struct {
	id        string
	session   *engine.Session
	pump      *dialect.Pump
	view      *view // the pump's
	client    *engine.Client
	names     dialect.Names
	servers   []engine.Server // its own tool servers
	ephemeral bool            // nothing stays of it
	left      atomic.Bool     // the connection has ended the subscription itself
	waiting   []question      // of a turn that ran when the thread was joined; nil once they are sent
	compacts  *dialect.Group  // compactions whose end is not recorded yet
}

// follow subscribes the connection to a session. What waits for an answer is in thread.waiting. After an error the session
// is left.
func (c *conn) follow(ctx context.Context, s *engine.Session) (*thread, error) {
	st := s.State()
	t := &thread{
		id: string(st.ID), session: s, pump: dialect.NewPump(s, c.out), ephemeral: isEphemeral(s), compacts: dialect.NewGroup(c.out),
		client: c.cfg.Host.Attach(s, dialect.ClientInfo(c.client.Name)),
	}
	t.view = c.newView(t.id, s.Log().Blob)
	t.view.workspace, t.view.dir, t.view.total, t.view.settings = st.Workspace, st.Dir(), st.Usage, st.Settings
	t.names = dialect.NamesIn(s, profile, toolset.Get())
	t.pump.Others = true
	records := s.Log().Follow(t.pump.Context(), st.Head+1, event.KindTextDelta, event.KindThinkingDelta, event.KindToolOutput,
		event.KindToolProgress, event.KindRetryStarted, event.KindServerChanged, event.KindContextEstimated,
		event.KindSyncStarted, event.KindSyncEnded, event.KindCommandOutput)
	if st.Elsewhere || st.Turn != "" || st.Busy {
		t.view = c.newView(t.id, s.Log().Blob)
		t.view.others = st.Elsewhere
		if err := t.pump.CatchUp(ctx, t.client, t.names, st.Head, t.catchUp); err != nil {
			return nil, err
		}
	}
	t.pump.Skip(st.Head)
	c.threads[t.id] = t
	c.cfg.Process.add(st.ID)
	c.pumping.Go(func() {
		if err := t.pump.Run(t.names.All(records), func(rec event.Record) [][]byte { return c.render(t, rec) }); err != nil {
			c.cfg.Log.Error("events lost", "thread", t.id, "error", err)
		}
		c.announceClosed(t)
	})
	return t, nil
}

// announceClosed notifies the client that a thread was closed under it: by its archival, or by another client.
func (c *conn) announceClosed(t *thread) {
	if t.session.Ended() == "" || t.left.Load() || c.server.Closing() {
		return
	}
	lines := c.announce("thread/status/changed", ThreadStatusChangedNotification{ThreadID: t.id, Status: NotLoadedThreadStatus{}})
	for _, line := range append(lines, c.announce("thread/closed", ThreadClosedNotification{t.id})...) {
		c.out.Post(line)
	}
}

// subscribed returns the thread of an id that the connection subscribes to; nil: there is none, or it was closed.
func (c *conn) subscribed(id string) *thread {
	t := c.threads[id]
	if t != nil && t.session.Ended() != "" {
		delete(c.threads, id)
		return nil
	}
	return t
}

func (c *conn) newView(id string, blob func(string) ([]byte, error)) *view {
	return &view{thread: id, blob: blob, noRules: !c.mayStoreRules()}
}

// catchUp brings the view up to a record of before the thread was joined, and stores what waits for an answer.
func (t *thread) catchUp(rec event.Record) {
	for _, message := range t.view.render(rec) {
		switch m := message.(type) {
		case question:
			t.waiting = append(t.waiting, m)
		case answered:
			t.waiting = slices.DeleteFunc(t.waiting, func(q question) bool { return q.pending == m.pending })
		}
	}
}

// upTo returns the records up to head.
func upTo(head uint64, records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for rec, err := range records {
			if rec.Seq > head || !yield(rec, err) {
				return
			}
		}
	}
}

// askWaiting returns the requests about what waited when the thread was joined and still does.
func (c *conn) askWaiting(t *thread) (lines [][]byte) {
	approvals, questions := t.session.Waiting()
	for _, q := range t.waiting {
		waits := slices.ContainsFunc(approvals, func(a event.ApprovalAsked) bool { return a.ID == q.pending.approval }) ||
			slices.ContainsFunc(questions, func(a event.QuestionAsked) bool { return a.ID == q.pending.question })
		if !t.view.others && waits {
			lines = append(lines, c.ask(t, q))
		}
	}
	t.waiting = nil
	return lines
}

// ask returns the request to the client for a question.
func (c *conn) ask(t *thread, q question) []byte {
	method, params := q.method, q.params
	if p, ok := params.(serverApproval); ok {
		params = p.command
		if c.experimental {
			method, params = "item/tool/requestUserInput", p.question
		}
	}
	if p, ok := params.(CommandExecutionRequestApprovalParams); ok && !c.experimental {
		p.AvailableDecisions = nil
		params = p
	}
	return frames.AppendRequest(nil, c.asked.Add(asked{t, q.pending}), method, marshal(params))
}

// render returns the lines to the client for a record.
func (c *conn) render(t *thread, rec event.Record) [][]byte {
	var lines [][]byte
	for _, message := range t.view.render(rec) {
		switch m := message.(type) {
		case notice:
			lines = append(lines, c.announce(m.method, m.params)...)
		case question:
			if !c.server.Closing() && !t.view.others { // else there is no client, or it is the turn of another process, which asks its own
				lines = append(lines, c.ask(t, m))
			}
		case answered:
			if id, known := c.asked.Drop(asked{t, m.pending}); known {
				lines = append(lines, c.announce("serverRequest/resolved", ServerRequestResolvedNotification{[]byte(id), t.id})...)
			}
		case settingsChanged:
			lines = append(lines, c.renderSettings(t, m)...)
		case diffChanged:
			lines = append(lines, c.renderDiff(t, m.turn)...)
		case readChanged:
			lines = append(lines, c.renderRead(t, m.seq)...)
		}
	}
	return lines
}

// renderSettings returns the notifications of a change of settings.
func (c *conn) renderSettings(t *thread, m settingsChanged) (lines [][]byte) {
	old, now := m.old, m.settings
	if old.Name != now.Name {
		lines = append(lines, c.announce("thread/name/updated", ThreadNameUpdatedNotification{ThreadID: t.id, ThreadName: now.Name})...)
	}
	if old.Archived != now.Archived && !t.ephemeral {
		if now.Archived {
			lines = append(lines, c.announce("thread/archived", ThreadArchivedNotification{t.id})...)
		} else {
			lines = append(lines, c.announce("thread/unarchived", ThreadUnarchivedNotification{t.id})...)
		}
	}
	lines = append(lines, c.renderGoal(t, extraOf(old).Goal, extraOf(now).Goal)...)
	before, after := c.shownSettings(old, t.view.dirOf(old)), c.shownSettings(now, t.view.dirOf(now))
	if !reflect.DeepEqual(before, after) {
		lines = append(lines, c.announce("thread/settings/updated", ThreadSettingsUpdatedNotification{ThreadID: t.id, ThreadSettings: after})...)
	}
	return lines
}

// dirOf returns the folder that settings stand for.
func (v *view) dirOf(s event.Settings) string {
	if s.Dir != "" {
		return s.Dir
	}
	return v.workspace
}

// loaded returns the thread of an id that is subscribed to, or loaded without that: then the connection subscribes.
// The error of a thread that another host has taken over names that host, until the thread is resumed.
func (c *conn) loaded(ctx context.Context, id string) (*thread, error) {
	if t := c.threads[id]; t != nil {
		if err := t.session.Moved(); err != nil {
			return nil, err
		}
	}
	if t := c.subscribed(id); t != nil {
		return t, nil
	}
	if _, err := c.cfg.Host.Session(event.SessionID(id)); err != nil {
		return nil, noThread(id)
	}
	return c.load(ctx, id)
}

// load returns the thread of an id, which is opened if it is only stored.
func (c *conn) load(ctx context.Context, id string) (*thread, error) {
	if t := c.subscribed(id); t != nil {
		return t, nil
	}
	s, err := c.cfg.Host.Open(ctx, event.SessionID(id), c.options(c.created(ctx, event.SessionID(id))))
	if err != nil {
		return nil, err
	}
	return c.follow(ctx, s)
}
