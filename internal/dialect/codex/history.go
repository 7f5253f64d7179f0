package codex

import (
	"context"
	"iter"
	"slices"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file makes the history of a thread: its turns, as they were streamed.

// A history is the turns of a thread, the oldest first, a running one last.
type history struct {
	turns []Turn
	items int    // of all turns
	head  uint64 // the last record
	view  *view  // after it
}

// A detail is what a history has of its turns. A long thread has many megabytes of items.
type detail int

const (
	outline detail = iota // turns without their items
	whole
)

// history folds the records of an open session up to head.
func (c *conn) history(ctx context.Context, s *engine.Session, names dialect.Names, head uint64, d detail) (history, error) {
	h, err := c.fold(string(s.ID()), names.All(upTo(head, s.Log().Records(ctx))), s.Log().Blob, d)
	if running := h.view.compaction; running != nil && s.State().Busy {
		h.turns[len(h.turns)-1].Status = TurnStatusInProgress
	}
	return h, err
}

// storedHistory folds the records of a session that need not be open. Of one that is open and idle other processes may have
// written more than it has read.
func (c *conn) storedHistory(ctx context.Context, id string, d detail) (history, error) {
	session := event.SessionID(id)
	records := c.cfg.Host.Read(ctx, session)
	if t := c.subscribed(id); t != nil {
		if st := t.session.State(); st.Busy {
			return c.history(ctx, t.session, t.names, st.Head, d)
		}
		records = t.names.All(records)
	}
	return c.fold(id, records, func(address string) ([]byte, error) { return c.cfg.Host.Blob(ctx, session, address) }, d)
}

// fold returns the history that records make. A turn that left it is not shown.
func (c *conn) fold(id string, records iter.Seq2[event.Record, error], blob func(string) ([]byte, error), d detail) (history, error) {
	h := history{turns: []Turn{}, view: c.newView(id, blob)}
	var starts []uint64 // record of each turn
	var items []int     // number of items of each turn
	start := uint64(0)
	add := func(t Turn) {
		starts, items = append(starts, start), append(items, len(t.Items))
		if d == outline {
			t.Items = nil
		}
		h.turns = append(h.turns, t)
	}
	for rec, err := range records {
		if err != nil {
			return h, err
		}
		h.head = max(h.head, rec.Seq)
		switch e := rec.Event.(type) {
		case event.TurnStarted, event.CommandStarted:
			start = rec.Seq
		case event.Foreign:
			if entry, ok := compactionOf(e); ok && entry.Status == TurnStatusInProgress {
				start = rec.Seq
			}
		case event.Compacted:
			if h.view.turn == nil && h.view.compaction == nil {
				start = rec.Seq
			}
		case event.Branched:
			stay, _ := slices.BinarySearch(starts, e.Head)
			h.turns, starts, items = h.turns[:stay], starts[:stay], items[:stay]
		}
		for _, message := range h.view.render(rec) {
			if n, ok := message.(notice); ok {
				if done, ok := n.params.(TurnCompletedNotification); ok {
					add(done.Turn)
				}
			}
		}
	}
	if cut := h.view.compaction; cut != nil { // unless it runs here, its process was killed
		shown := cut.begun()
		shown.Status, shown.ItemsView = TurnStatusInterrupted, TurnItemsViewFull
		add(shown)
	}
	for _, running := range []*turn{h.view.command, h.view.turn} {
		if running != nil {
			add(running.shown())
		}
	}
	for _, n := range items {
		h.items += n
	}
	return h, nil
}

// entries returns all items, the oldest first, of one turn or, with "", of all.
func (h history) entries(turn string) []ThreadItemEntry {
	var all []ThreadItemEntry
	for _, t := range h.turns {
		for _, it := range t.Items {
			if turn == "" || t.ID == turn {
				all = append(all, ThreadItemEntry{TurnID: t.ID, Item: it})
			}
		}
	}
	return all
}

// in returns a turn with no more items than a view of it has.
func (t Turn) in(view TurnItemsView) Turn {
	switch view {
	case TurnItemsViewFull:
		return t
	case TurnItemsViewNotLoaded:
		t.Items = []ThreadItem{}
	default:
		view, t.Items = TurnItemsViewSummary, summaryOf(t.Items)
	}
	t.ItemsView = view
	return t
}

// summaryOf returns the first message of the user and the last one of the model.
func summaryOf(items []ThreadItem) []ThreadItem {
	summary := []ThreadItem{}
	if i := slices.IndexFunc(items, isA[UserMessageThreadItem]); i >= 0 {
		summary = append(summary, items[i])
	}
	for _, it := range slices.Backward(items) {
		if isA[AgentMessageThreadItem](it) {
			return append(summary, it)
		}
	}
	return summary
}

func isA[T ThreadItem](it ThreadItem) bool {
	_, ok := it.(T)
	return ok
}
