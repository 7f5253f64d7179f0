package codex

import (
	"context"
	"slices"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// threadRevert takes a turn, and all after it, out of the history (thread/revert). Files stay as they are.
func (c *conn) threadRevert(ctx context.Context, id jsonrpc.ID, p *ThreadRevertParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.Around(func() [][]byte {
		answer, err := c.revert(ctx, t, p.BeforeTurnID)
		if err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		return [][]byte{resultLine(id, answer)}
	})
}

func (c *conn) revert(ctx context.Context, t *thread, turn string) (ThreadRevertResponse, error) {
	if t.session.State().Busy {
		return ThreadRevertResponse{}, engine.ErrTurnActive
	}
	before, err := c.history(ctx, t.session, t.names, t.session.State().Head, outline)
	if err != nil {
		return ThreadRevertResponse{}, err
	}
	if !slices.ContainsFunc(before.turns, func(t Turn) bool { return t.ID == turn }) {
		return ThreadRevertResponse{}, invalid("the thread has no turn `" + abridged(turn) + "`")
	}
	head, err := headBefore(ctx, t.session, event.TurnID(turn))
	if err == nil {
		_, err = t.session.Branch(head)
	}
	if err != nil {
		return ThreadRevertResponse{}, err
	}
	after, err := c.history(ctx, t.session, t.names, t.session.State().Head, outline)
	if err != nil {
		return ThreadRevertResponse{}, err
	}
	return ThreadRevertResponse{Thread: c.shownOpen(t.session), TurnsBackwardsCursor: after.turnsEnd(), ItemsBackwardsCursor: after.itemsEnd()}, nil
}

// headBefore returns the last message before a turn; 0: there is none.
func headBefore(ctx context.Context, s *engine.Session, turn event.TurnID) (head uint64, err error) {
	for rec, err := range s.Log().Records(ctx) {
		if err != nil {
			return 0, err
		}
		if rec.Turn == turn {
			return head, nil
		}
		switch e := rec.Event.(type) {
		case event.Foreign:
			if entry, ok := compactionOf(e); ok && entry.Turn == string(turn) {
				return head, nil
			}
		case event.CommandStarted:
			if string(e.ID) == string(turn) {
				return head, nil
			}
		case event.Compacted:
			if compactionTurn(rec.Seq) == string(turn) {
				return head, nil
			}
			head = rec.Seq
		case event.UserMessage:
			head = rec.Seq
		case event.AssistantMessage:
			if !e.Void {
				head = rec.Seq
			}
		case event.CommandRan:
			if !e.Hidden {
				head = rec.Seq
			}
		case event.Branched:
			head = e.Head
		}
	}
	return 0, engine.ErrNoTurn
}
