package native

import (
	"bytes"
	"context"
	"iter"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// watchPause is how long changes of sessions are collected after a notification.
const watchPause = 100 * time.Millisecond

// watchHost begins to notify of changes of sessions (host/watch). A second request changes nothing.
func (c *conn) watchHost(_ context.Context, r request, _ *Empty) {
	if c.watching {
		c.reply(r.id, Empty{})
		return
	}
	c.watching = true
	changes := c.cfg.Host.Watch(c.life)
	c.reply(r.id, Empty{})
	c.notifying.Go(func() { c.notifyChanges(changes) })
}

// notifyChanges sends what sessions are after their changes, until the connection ends: the last state always, and
// those before it at most ten times a second.
func (c *conn) notifyChanges(changes iter.Seq[[]event.SessionID]) {
	sent := map[event.SessionID][]byte{} // of open sessions, so that what has not changed is not sent again
	for ids := range changes {
		for _, id := range ids {
			note, ok := c.describe(id)
			if _, known := sent[id]; !ok && !known && c.cfg.Host.Limited() {
				continue // it never was within the scope
			}
			line := notification("host/session", note)
			if bytes.Equal(line, sent[id]) {
				continue
			}
			if sent[id] = line; !note.Open {
				delete(sent, id)
			}
			if !c.awaitAnswers(id) {
				return
			}
			c.out.Put(line)
		}
		select {
		case <-c.life.Done():
			return
		case <-time.After(watchPause):
		}
	}
}

// awaitAnswers waits until the answers to the requests about a session are sent: they come before what they have changed. It
// reports whether the connection goes on.
func (c *conn) awaitAnswers(id event.SessionID) bool {
	c.mu.Lock()
	s := c.sessions[id]
	if s == nil {
		c.mu.Unlock()
		return true
	}
	sent := s.watched.pump.Replies.Sent()
	c.mu.Unlock()
	select {
	case <-sent:
		return true
	case <-c.life.Done():
		return false
	}
}

// describe returns what a session is; false: there is none of that id, or none that the connection can reach. It waits
// for the request that is being handled.
func (c *conn) describe(id event.SessionID) (HostSession, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	note := HostSession{Session: string(id), Status: event.Idle}
	if eng, err := c.cfg.Host.Session(id); err == nil {
		st := eng.State()
		approvals, questions := eng.Waiting()
		note.Open, note.Status, note.Head = !eng.Viewed(), st.Status, st.Head
		if eng.Saved() {
			note.Summary = &st.Summary
		}
		note.Waiting, note.Clients = len(approvals)+len(questions), c.cfg.Host.Holders(id)
		return note, true
	}
	for _, archived := range []bool{false, true} {
		page, err := c.cfg.Host.List(c.life, engine.Query{IDs: []event.SessionID{id}, Archived: archived})
		if err == nil && len(page.Sessions) == 1 {
			note.Summary = &page.Sessions[0]
			return note, true
		}
	}
	note.Removed = true
	return note, false
}
