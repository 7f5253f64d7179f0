package codex

import (
	"context"
	"slices"
	"strconv"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains what of a thread its user has read.

var readStateMethods = []handler{on("thread/readState/update", (*conn).readStateUpdate)}

// A reading is what is stored of it, beside the other settings of a thread.
type reading struct {
	Revision int    `json:"revision"`
	Unread   bool   `json:"unread,omitzero"` // the user wants to read it again from the beginning
	Turn     string `json:"turn,omitzero"`   // the last turn that was read
}

// errRevision reports that another client has changed what is read.
var errRevision = refused("the read state was changed meanwhile: expectedRevision is not that of now")

// readStateUpdate marks a thread as read, or as unread (thread/readState/update).
func (c *conn) readStateUpdate(ctx context.Context, id jsonrpc.ID, p *ThreadReadStateUpdateParams) {
	h, err := c.storedHistory(ctx, p.ThreadID, outline)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	var answer ThreadReadStateUpdateResponse
	c.change(ctx, id, p.ThreadID, &answer, func(s *engine.Session, client *engine.Client) error {
		r := extraOf(s.State().Settings).Reading
		if p.ExpectedRevision != strconv.Itoa(r.Revision) {
			return errRevision
		}
		_, unread := p.Operation.Value.(UnreadThreadReadStateOperation)
		r = reading{Revision: r.Revision + 1, Unread: unread}
		if last := len(h.turns); last > 0 && !unread {
			r.Turn = h.turns[last-1].ID
		}
		answer.ReadState = r.shown(h.turns)
		return client.Change(editExtra(func(x *extra) { x.Reading = r }))
	})
	if answer.ReadState.Revision != "" {
		c.announceAfter(p.ThreadID, "thread/readState/changed", ThreadReadStateChangedNotification{ThreadID: p.ThreadID, ReadState: answer.ReadState})
	}
}

// shown returns the state that clients see: the first turn after the last one that was read is unread.
func (r reading) shown(turns []Turn) ThreadReadState {
	s := ThreadReadState{Revision: strconv.Itoa(r.Revision)}
	switch at := slices.IndexFunc(turns, func(t Turn) bool { return t.ID == r.Turn }); {
	case r.Unread:
		s.FirstUnread = ThreadStartThreadUnreadPosition{}
	case r.Revision > 0 && at+1 < len(turns):
		s.FirstUnread = TurnThreadUnreadPosition{TurnID: turns[at+1].ID}
	}
	return s
}
