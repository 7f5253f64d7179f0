package message

import (
	"fmt"

	"parley.dev/parley/internal/event"
)

// IDs gives entries their ids: that of the entry which a record was imported from, else
// 8 hex digits made of the record's number and, of further entries of one record, their
// index. An id that an imported entry has is passed over: all of those come before any of
// our own, so that the same journal gives the same ids.
type IDs struct {
	imported map[string]bool
	entries  map[uint64]string // by their records: the entries that were imported
	origin   string            // the id of the entry that the record was imported from; "": it is none
	index    uint64            // of the next entry of the record
}

// next begins a record.
func (n *IDs) next(rec event.Record) {
	n.index, n.origin = 0, ""
	if rec.Origin == nil {
		return
	}
	if id := entryID(rec.Origin); id != "" {
		if n.imported == nil {
			n.imported, n.entries = map[string]bool{}, map[uint64]string{}
		}
		n.origin, n.imported[id], n.entries[rec.Seq] = id, true, id
	}
}

// Take returns the id of the next entry of the record that was begun.
func (n *IDs) Take(rec event.Record) string {
	if rec.Origin != nil {
		return n.origin
	}
	for {
		id := fmt.Sprintf("%08x", uint32(n.index<<24|rec.Seq))
		n.index++
		if !n.imported[id] {
			return id
		}
	}
}

// First returns the id of the first entry of a record.
func (n *IDs) First(seq uint64) string {
	if id, isImported := n.entries[seq]; isImported {
		return id
	}
	first := IDs{imported: n.imported}
	return first.Take(event.Record{Seq: seq})
}
