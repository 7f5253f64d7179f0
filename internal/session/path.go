package session

import (
	"fmt"
	"iter"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file moves the head of the history. Only the path to the head is in memory; for another one, the
// records are read again.

// branch moves the head. A record that is no node stands for the history as it was after it: files of
// other programs can continue after any of their entries. If Entries do not hold that history, they are
// emptied, and the fold is Incomplete.
func (f *Fold) branch(seq, head uint64) {
	head = f.tree.at(head)
	f.Incomplete = !f.Holds(head)
	if f.Incomplete || head == 0 {
		f.setEntries(nil)
	} else {
		f.truncate(head)
	}
	f.tree.move(seq, head)
}

// Holds reports whether Entries hold the history at node head, or 0.
func (f *Fold) Holds(head uint64) bool {
	if head == 0 {
		return true
	}
	compacted := len(f.Entries) > 0 && f.Entries[0].Compacted != nil && f.Entries[0].Seq > head
	return !f.Incomplete && !compacted && f.tree.leads(head)
}

// CountTo returns how many messages the history has up to node head; 0 if head is 0. Its cost
// depends on the messages after head only.
func (f *Fold) CountTo(head uint64) int {
	n := len(f.Entries)
	for n > 0 && (head == 0 || f.Entries[n-1].Seq > head) {
		n--
	}
	return n
}

// truncate removes the messages after node head. It does not look at those
// that stay: other programs' files may have thousands of branches.
func (f *Fold) truncate(head uint64) {
	n := f.CountTo(head)
	for _, removed := range f.Entries[n:] {
		f.Bytes -= f.EntryBytes(removed)
		for _, call := range removed.Message.Calls() {
			delete(f.Results, event.CallID(call.ID))
		}
	}
	f.Entries, f.Measured = slices.Clip(f.Entries[:n]), 0
	f.State.Messages, f.State.Results = n, len(f.Results)
}

// compact puts the summary where the messages before KeptFrom were.
func (f *Fold) compact(seq uint64, e event.Compacted) {
	f.spend(e.Usage, e.Cost)
	f.RenewEnvironment = true
	kept := append([]Entry{{Seq: seq, Message: model.UserText(CompactedText(e)), Compacted: &e}}, f.KeptFrom(e.KeptFrom)...)
	if f.Incomplete = f.Incomplete && e.KeptFrom != 0; f.Incomplete {
		kept = nil
	}
	f.setEntries(kept)
}

// Reload returns a fold with the history at node head, for Adopt. It is read from records, which are all
// of the session; load brings outputs that are stored outside their records. Its errors are those of
// records and load, or that a node is not among the records.
func (f *Fold) Reload(head uint64, records iter.Seq2[event.Record, error], load func(*event.Record) error) (*Fold, error) {
	path, loaded := f.tree.path(head), New()
	for rec, err := range records {
		e, ended := rec.Event.(event.ToolEnded)
		switch {
		case err != nil:
			return nil, err
		case ended && loaded.callIDs[e.Call]:
			if err := load(&rec); err != nil {
				return nil, err
			}
			loaded.applyCall(rec.Event)
		case rec.Event.Kind() == event.KindResultsCut: // it holds for all of the tree
			loaded.Apply(rec)
		case len(path) > 0 && rec.Seq == path[0]:
			loaded.Apply(rec)
			path = path[1:]
		}
	}
	if len(path) > 0 {
		return nil, fmt.Errorf("record %d of the history is not in the journal", path[0])
	}
	return loaded, nil
}

// Adopt takes over the history of loaded, which Reload returned for the head.
func (f *Fold) Adopt(loaded *Fold) {
	f.Entries, f.Results, f.Bytes, f.Incomplete = loaded.Entries, loaded.Results, loaded.Bytes, false
	f.State.Messages, f.State.Results = len(f.Entries), len(f.Results)
}
