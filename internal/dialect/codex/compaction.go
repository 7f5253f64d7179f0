package codex

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file shows compactions between turns as turns with one item. The engine's record is that of the end: entries of this protocol
// say how such a turn began, and how it ended if there is no summary.

// threadCompact summarises the history (thread/compact/start).
func (c *conn) threadCompact(ctx context.Context, id jsonrpc.ID, p *ThreadCompactStartParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.Around(func() [][]byte {
		turn := c.cfg.NewID()
		wait, err := c.compact(context.WithoutCancel(ctx), t, turn)
		if err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		t.compacts.Go(func() { c.endCompaction(t, turn, wait) })
		return [][]byte{resultLine(id, ThreadCompactStartResponse{})}
	})
}

// compact begins a compaction. It is recorded before, since the summary may be there at once.
func (c *conn) compact(ctx context.Context, t *thread, turn string) (wait func() (event.Compacted, error), err error) {
	if t.session.State().Busy {
		return nil, engine.ErrTurnActive
	}
	if err := t.session.KeepEntry(profile, marshal(compactionEntry{Turn: turn, Status: TurnStatusInProgress})); err != nil {
		return nil, err
	}
	wait, err = t.session.Compact(ctx, "")
	if err != nil {
		c.keepEnd(t, turn, err)
	}
	return wait, err
}

// endCompaction waits for the end, and records it if no summary does.
func (c *conn) endCompaction(t *thread, turn string, wait func() (event.Compacted, error)) {
	if _, err := wait(); err != nil {
		c.keepEnd(t, turn, err)
	}
}

func (c *conn) keepEnd(t *thread, turn string, reason error) {
	end := compactionEntry{Turn: turn, Status: TurnStatusFailed, Error: reason.Error()}
	switch {
	case errors.Is(reason, engine.ErrNothingToCompact):
		end.Status, end.Error = TurnStatusCompleted, ""
	case errors.Is(reason, engine.ErrInterrupted):
		end.Status, end.Error = TurnStatusInterrupted, ""
	}
	if err := t.session.KeepEnd(profile, marshal(end)); err != nil && !errors.Is(err, engine.ErrClosed) {
		c.cfg.Log.Error("end of compaction not recorded", "thread", t.id, "error", err)
	}
}

// A compactionEntry is the data of an event.Foreign of this protocol: the beginning of a compaction, or its end without a summary.
type compactionEntry struct {
	Turn   string     `json:"compaction"`
	Status TurnStatus `json:"status"`
	Error  string     `json:"error,omitzero"` // of a failed one
}

// compactionOf returns the entry in a record; false: it is none.
func compactionOf(e event.Foreign) (entry compactionEntry, ok bool) {
	return entry, e.Format == profile && json.Unmarshal(e.Data, &entry) == nil && entry.Turn != ""
}

// renderCompaction shows the beginning of a compaction, or its end. An end that cannot be saved yet comes without a number, and closes a
// turn of which the client may have seen nothing: the records of that turn, which follow when they are saved, are not shown.
func (v *view) renderCompaction(rec event.Record, e event.Foreign) {
	entry, ok := compactionOf(e)
	switch {
	case !ok || v.turn != nil:
	case rec.Seq == 0:
		if v.compaction == nil || v.compaction.id != entry.Turn {
			v.beginCompaction(entry.Turn)
		}
		v.endCompaction(entry.Status, entry.Error)
		v.unsaved = entry.Turn
	case v.unsaved == entry.Turn:
		if entry.Status != TurnStatusInProgress {
			v.unsaved = ""
		}
	case entry.Status == TurnStatusInProgress:
		v.abandonCompaction()
		v.beginCompaction(entry.Turn)
	case v.compaction != nil && v.compaction.id == entry.Turn:
		v.endCompaction(entry.Status, entry.Error)
	}
}

// showCompacted shows a summary that was written between turns. Clients of other protocols record no beginning.
func (v *view) showCompacted(rec event.Record, e event.Compacted) {
	v.total = v.total.Add(e.Usage)
	if v.unsaved != "" {
		return
	}
	if v.compaction == nil {
		v.beginCompaction(compactionTurn(rec.Seq))
	}
	v.endCompaction(TurnStatusCompleted, "")
}

// compactionTurn is the id of the turn for a summary that has no recorded beginning.
func compactionTurn(seq uint64) string { return fmt.Sprintf("c-%d.turn", seq) }

func (v *view) beginCompaction(id string) {
	v.compaction = &turn{id: id, started: v.now}
	v.notify("thread/status/changed", ThreadStatusChangedNotification{ThreadID: v.thread, Status: ActiveThreadStatus{ActiveFlags: []ThreadActiveFlag{}}})
	v.notify("turn/started", TurnStartedNotification{v.thread, v.compaction.begun()})
	it := &item{id: "compaction-" + id, value: ContextCompactionThreadItem{ID: "compaction-" + id}}
	v.compaction.items = []*item{it}
	v.notify("item/started", ItemStartedNotification{Item: it.value, StartedAtMS: v.now.UnixMilli(), ThreadID: v.thread, TurnID: id})
}

// abandonCompaction ends the turn of a compaction whose process was killed.
func (v *view) abandonCompaction() {
	v.unsaved = ""
	if v.compaction != nil {
		v.endCompaction(TurnStatusInterrupted, "")
	}
}

func (v *view) endCompaction(status TurnStatus, problem string) {
	t := v.compaction
	v.compaction = nil
	if status != TurnStatusCompleted {
		t.items = nil
	}
	done := t.shown()
	ended, ran := v.now.Unix(), elapsed(t.started, v.now)
	done.Status, done.CompletedAt, done.DurationMS = status, &ended, &ran
	switch status {
	case TurnStatusCompleted:
		v.notify("item/completed", ItemCompletedNotification{Item: t.items[0].value, CompletedAtMS: v.now.UnixMilli(), ThreadID: v.thread, TurnID: t.id})
	case TurnStatusFailed:
		done.Error = &TurnError{Message: problem, CodexErrorInfo: &CodexErrorInfo{Word: "other"}}
		v.notify("error", ErrorNotification{*done.Error, v.thread, t.id, false})
	}
	v.notifyStatus()
	v.notify("turn/completed", TurnCompletedNotification{v.thread, done})
}
