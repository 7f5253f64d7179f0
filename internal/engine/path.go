package engine

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sessionlog"
)

// This file is about moves in the history. Only the path to the head is kept in memory; to
// go to another, the journal is read again.

// branch moves the head. A record that is no node stands for the history as it was behind
// it: other programs' files may go on behind anything. Where entries cannot tell what the
// history is then, they are none, and adopt has to bring them.
func (f *fold) branch(seq, head uint64) {
	head = f.tree.at(head)
	f.partly = !f.returns(head)
	if f.partly || head == 0 {
		f.setEntries(nil)
	} else {
		f.truncate(head)
	}
	f.tree.move(seq, head)
}

// returns says whether entries tell what the history was at node head, or 0.
func (f *fold) returns(head uint64) bool {
	if head == 0 {
		return true
	}
	compacted := len(f.entries) > 0 && f.entries[0].compacted != nil && f.entries[0].seq > head
	return !f.partly && !compacted && f.tree.leads(head)
}

// countTo returns how many messages the history has up to node head; 0 if head is 0. Its cost
// depends on the messages after head only.
func (f *fold) countTo(head uint64) int {
	n := len(f.entries)
	for n > 0 && (head == 0 || f.entries[n-1].seq > head) {
		n--
	}
	return n
}

// truncate removes the messages after node head. It does not look at those
// that stay: other programs' files may have thousands of branches.
func (f *fold) truncate(head uint64) {
	n := f.countTo(head)
	for _, removed := range f.entries[n:] {
		f.bytes -= f.entryBytes(removed)
		for _, call := range removed.msg.Calls() {
			delete(f.results, event.CallID(call.ID))
		}
	}
	f.entries, f.known = slices.Clip(f.entries[:n]), 0
	f.state.Messages, f.state.Results = n, len(f.results)
}

// compact puts the summary where the messages before KeptFrom were.
func (f *fold) compact(seq uint64, e event.Compacted) {
	f.spend(e.Usage, e.Cost)
	f.renew = true
	kept := append([]entry{{seq: seq, msg: model.UserText(compactedText(e)), compacted: &e}}, f.keptFrom(e.KeptFrom)...)
	if f.partly = f.partly && e.KeptFrom != 0; f.partly {
		kept = nil
	}
	f.setEntries(kept)
}

// keptFrom is the messages that a compaction keeps; see event.Compacted.
func (f *fold) keptFrom(seq uint64) []entry {
	if seq == 0 {
		return nil
	}
	for i, e := range f.entries {
		if e.seq == seq || e.seq > seq && e.compacted == nil {
			return f.entries[i:]
		}
	}
	return nil
}

// reload is the history at node head, read from the session's records.
func (f *fold) reload(head uint64, records iter.Seq2[event.Record, error], blob func(string) ([]byte, error)) (*fold, error) {
	path, loaded := f.tree.path(head), newFold()
	for rec, err := range records {
		e, ended := rec.Event.(event.ToolEnded)
		switch {
		case err != nil:
			return nil, err
		case ended && loaded.callIDs[e.Call]:
			if err := sessionlog.LoadOutput(&rec, blob); err != nil {
				return nil, err
			}
			loaded.applyCall(rec.Event)
		case rec.Event.Kind() == event.KindResultsCut: // it holds for all of the tree
			loaded.apply(rec)
		case len(path) > 0 && rec.Seq == path[0]:
			loaded.apply(rec)
			path = path[1:]
		}
	}
	if len(path) > 0 {
		return nil, fmt.Errorf("record %d of the history is not in the journal", path[0])
	}
	return loaded, nil
}

// adopt takes over the history of loaded.
func (f *fold) adopt(loaded *fold) {
	f.entries, f.results, f.bytes, f.partly = loaded.entries, loaded.results, loaded.bytes, false
	f.state.Messages, f.state.Results = len(f.entries), len(f.results)
}

// Branch moves the head of the history to any message, compaction or command of a person
// that the session ever had, by the number of its record; 0 empties the history. It says
// how many messages left it. ErrTurnActive, ErrBadHead.
func (s *Session) Branch(head uint64) (removed int, err error) {
	if err := s.lockToWrite(); err != nil {
		return 0, err
	}
	defer s.unlock()
	switch {
	case s.slot != nil:
		return 0, ErrTurnActive
	case head != 0 && !s.fold.tree.has(head):
		return 0, ErrBadHead
	}
	return s.moveHead(head)
}

// moveHead is Branch to a node, or 0. After an error nothing has changed.
func (s *Session) moveHead(head uint64) (removed int, err error) {
	s.compactions = compactionTries{}
	if s.fold.returns(head) {
		removed = len(s.fold.entries) - s.fold.countTo(head)
		s.log.Append("", event.Branched{Head: head, Removed: removed})
		return removed, nil
	}
	loaded, err := s.fold.reload(head, s.log.All(context.Background()), s.log.LockedBlob)
	if err != nil {
		return 0, fmt.Errorf("go to record %d: %w", head, err)
	}
	removed = s.fold.missing(loaded.entries)
	s.log.Append("", event.Branched{Head: head, Removed: removed})
	s.fold.adopt(loaded)
	return removed, nil
}
