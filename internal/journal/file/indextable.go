package file

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"io"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// fewChanges is the number of changes up to which a sorted list is changed in place.
const fewChanges = 64

// A table is what was read of an index.
type table struct {
	header   string // the first line; differs in each file
	size     int64  // of the lines that were read, in bytes
	base     int64  // the size of the file when it was last replaced
	sum      uint32 // the checksum of the last line
	complete bool   // there is a line of progress
	progress ingestProgress

	sessions map[event.SessionID]*journal.Summary
	archived int               // how many of them are
	slab     []journal.Summary // for alloc
	sorted   [2]sortedList     // by Updated, by Created
}

// A sortedList has the sessions, the oldest first.
type sortedList struct {
	all     []*journal.Summary // nil until it is needed
	changes int                // since it was sorted
}

func newTable() *table { return &table{sessions: map[event.SessionID]*journal.Summary{}} }

// alloc returns a new Summary.
func (t *table) alloc() *journal.Summary {
	if len(t.slab) == 0 {
		t.slab = make([]journal.Summary, min(max(len(t.sessions), 1), 1024))
	}
	s := &t.slab[0]
	t.slab = t.slab[1:]
	return s
}

func (t *table) put(s *journal.Summary) {
	t.remove(s.ID)
	t.sessions[s.ID] = s
	if s.Archived {
		t.archived++
	}
	for by := range t.sorted {
		if list := t.changing(by); list != nil {
			at, _ := slices.BinarySearchFunc(list.all, s, order(by))
			list.all = slices.Insert(list.all, at, s)
		}
	}
}

func (t *table) remove(id event.SessionID) {
	s, ok := t.sessions[id]
	if !ok {
		return
	}
	delete(t.sessions, id)
	if s.Archived {
		t.archived--
	}
	for by := range t.sorted {
		if list := t.changing(by); list != nil {
			if at, found := slices.BinarySearchFunc(list.all, s, order(by)); found {
				list.all = slices.Delete(list.all, at, at+1)
			}
		}
	}
}

// changing returns a list that is to be changed; nil if it is sorted anew when it is needed.
func (t *table) changing(by int) *sortedList {
	list := &t.sorted[by]
	if list.all == nil {
		return nil
	}
	if list.changes++; list.changes > fewChanges {
		*list = sortedList{}
		return nil
	}
	return list
}

// order compares by the time that a sortedList is sorted by.
func order(by int) func(a, b *journal.Summary) int {
	return func(a, b *journal.Summary) int {
		first, second := a.Updated, b.Updated
		if by == 1 {
			first, second = a.Created, b.Created
		}
		if c := first.Compare(second); c != 0 {
			return c
		}
		return cmp.Compare(a.ID, b.ID)
	}
}

// list returns the sessions among which a query selects, the oldest first.
func (t *table) list(q journal.Query) []*journal.Summary {
	by := 0
	if q.ByCreation {
		by = 1
	}
	if q.IDs != nil {
		var some []*journal.Summary
		for _, id := range q.IDs {
			if s, ok := t.sessions[id]; ok {
				some = append(some, s)
			}
		}
		slices.SortFunc(some, order(by))
		return slices.Compact(some)
	}
	list := &t.sorted[by]
	if list.changes = 0; list.all == nil {
		list.all = make([]*journal.Summary, 0, len(t.sessions))
		for _, s := range t.sessions {
			list.all = append(list.all, s)
		}
		slices.SortFunc(list.all, order(by))
	}
	return list.all
}

// writeTo writes the lines of a new file, and sets the fields that describe it.
func (t *table) writeTo(w io.Writer) error {
	out := bufio.NewWriterSize(w, fullRead)
	t.sum, t.size = 0, 0
	var line []byte
	write := func(add func([]byte) []byte) {
		line = t.appendLine(line[:0], add)
		t.size += int64(len(line))
		_, _ = out.Write(line) // Flush returns the error
	}
	write(func(b []byte) []byte { return append(b, string(versionMark)+indexVersion+"\t"+rand.Text()...) })
	t.header = string(line)
	for _, s := range t.list(journal.Query{}) {
		write(func(b []byte) []byte { return appendSummary(b, *s) })
	}
	write(func(b []byte) []byte { return appendProgress(b, t.progress) })
	t.base = t.size
	return out.Flush()
}
