package codex

import (
	"context"
	"strconv"
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains what of a thread its user has read.

func readStateMethods() []handler {
	return []handler{on("thread/readState/update", (*conn).readStateUpdate)}
}

// A reading is the read state that a client has set last, which is stored with the other settings of a thread.
type reading struct {
	Revision int    `json:"revision"`
	Unread   bool   `json:"unread,omitzero"` // the user wants to read the thread again from the beginning
	Head     uint64 `json:"head,omitzero"`   // the last record that the client could know; 0: it knew all before this one
}

// A readState is the unread part of a thread, a fold of its records: a turn becomes unread when it ends.
type readState struct {
	complete bool       // the fold began with the first record
	revision int        // the number of changes
	changed  uint64     // the record of the last change
	all      bool       // the thread is marked as unread
	first    unreadTurn // the first turn that is; its id is "" if there is none
	last     unreadTurn // the last turn that became unread
	start    uint64     // the record with which the running turn began
}

type unreadTurn struct {
	turn       string
	start, end uint64 // records
}

// errRevision reports that another client, or the end of a turn, has changed what is read.
var errRevision = refused("the read state was changed meanwhile: expectedRevision is not that of now")

// readStateUpdate marks a thread as read, or as unread (thread/readState/update).
func (c *conn) readStateUpdate(ctx context.Context, id jsonrpc.ID, p *ThreadReadStateUpdateParams) {
	h, err := c.storedHistory(ctx, p.ThreadID, outline)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	var answer ThreadReadStateUpdateResponse
	c.change(ctx, id, p.ThreadID, &answer, func(_ *engine.Session, client *engine.Client) error {
		state := h.view.read
		if p.ExpectedRevision != strconv.Itoa(state.revision) {
			return errRevision
		}
		_, unread := p.Operation.Value.(UnreadThreadReadStateOperation)
		r := reading{Revision: state.revision + 1, Unread: unread, Head: h.head}
		state.mark(r, h.head+1)
		answer.ReadState = state.shown()
		return client.Change(editExtra(func(x *extra) { x.Reading = r }))
	})
	if answer.ReadState.Revision != "" {
		c.announceAfter(p.ThreadID, "thread/readState/changed", ThreadReadStateChangedNotification{ThreadID: p.ThreadID, ReadState: answer.ReadState})
	}
}

// mark applies what a client has set in record seq. A turn that ended after the last record that the client knew stays unread.
func (s *readState) mark(r reading, seq uint64) {
	s.revision, s.changed, s.all, s.first = max(r.Revision, s.revision+1), seq, r.Unread, unreadTurn{}
	if !r.Unread && r.Head > 0 && s.last.end > r.Head {
		s.first = s.last
	}
}

// add makes a turn unread that ended in record seq.
func (s *readState) add(turn string, seq uint64) {
	s.revision, s.changed, s.last = s.revision+1, seq, unreadTurn{turn, s.start, seq}
	if !s.all && s.first.turn == "" {
		s.first = s.last
	}
}

// revert removes unread turns that began after the record head.
func (s *readState) revert(head, seq uint64) {
	if s.first.turn != "" && s.first.start > head {
		s.revision, s.changed, s.first = s.revision+1, seq, unreadTurn{}
	}
}

// shown returns the state that clients see.
func (s readState) shown() ThreadReadState {
	shown := ThreadReadState{Revision: strconv.Itoa(s.revision)}
	switch {
	case s.all:
		shown.FirstUnread = ThreadStartThreadUnreadPosition{}
	case s.first.turn != "":
		shown.FirstUnread = TurnThreadUnreadPosition{TurnID: s.first.turn}
	}
	return shown
}

// noteRead folds a record into the read state, and has the connection announce a change that no request of a client causes.
func (v *view) noteRead(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		v.read = readState{complete: true}
		if r := extraOf(e.Settings).Reading; r != (reading{}) { // a copy
			v.read.mark(r, rec.Seq)
		}
	case event.SessionChanged:
		if r := extraOf(e.Settings).Reading; r != extraOf(v.settings).Reading {
			v.read.mark(r, rec.Seq)
		}
	case event.TurnStarted:
		v.read.start = rec.Seq
	case event.Branched:
		v.read.revert(e.Head, rec.Seq)
		v.out = append(v.out, readChanged{rec.Seq})
	case event.TurnEnded:
		if v.turn != nil && v.wantsReading(e.Reason) {
			v.read.add(v.turn.id, rec.Seq)
			v.out = append(v.out, readChanged{rec.Seq})
		}
	}
}

// wantsReading reports whether the user wants to know of the end of the running turn: it has failed or has an answer, and no goal
// goes on with it. Threads that are not stored have no read state.
func (v *view) wantsReading(reason event.TurnReason) bool {
	x, status := extraOf(v.settings), statuses.Get()[reason]
	switch {
	case x.Ephemeral:
		return false
	case status == TurnStatusFailed:
		return true
	case status == TurnStatusCompleted && x.Goal != nil && x.Goal.Status == ThreadGoalStatusActive:
		return false
	}
	answer := ""
	for _, it := range v.turn.items {
		if m, ok := it.value.(AgentMessageThreadItem); ok {
			answer = m.Text
		}
	}
	return strings.TrimSpace(answer) != ""
}

// renderRead returns the notification of a change of what is read. A thread that was idle when the connection subscribed to it has
// a view without its past.
func (c *conn) renderRead(t *thread, seq uint64) [][]byte {
	if !c.experimental || t.ephemeral {
		return nil
	}
	if !t.view.read.complete {
		h, err := c.history(context.Background(), t.session, t.names, seq, outline)
		if err != nil {
			c.cfg.Log.Error("read state not known", "thread", t.id, "error", err)
			return nil
		}
		t.view.read = h.view.read
	}
	if t.view.read.changed != seq {
		return nil
	}
	return c.announce("thread/readState/changed", ThreadReadStateChangedNotification{ThreadID: t.id, ReadState: t.view.read.shown()})
}
