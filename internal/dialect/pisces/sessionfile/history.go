package sessionfile

import (
	"iter"
	"slices"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/event"
)

// A History is all entries of a session, in memory.
type History struct {
	Entries []Entry
	Index   map[string]int    // of an entry, by its id
	Seqs    map[string]uint64 // of an entry's record, by its id
	Leaf    string            // the last entry of the path; "": none
}

// ReadHistory returns the history of records.
func ReadHistory(records iter.Seq2[event.Record, error], with message.Surroundings) (*History, error) {
	h := &History{Index: map[string]int{}, Seqs: map[string]uint64{}}
	s := newScribe(with, "")
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		for _, e := range s.write(rec) {
			h.Seqs[e.ID] = rec.Seq
			h.add(e)
		}
	}
	h.Leaf = s.leaf
	return h, nil
}

// HistoryOf returns the history that a file holds. Its entries are of no records.
func HistoryOf(entries []Entry) *History {
	h := &History{Index: map[string]int{}}
	for _, e := range entries {
		h.add(e)
		h.Leaf = e.ID
	}
	return h
}

func (h *History) add(e Entry) {
	h.Index[e.ID] = len(h.Entries)
	h.Entries = append(h.Entries, e)
}

// Path returns the entries from the root to the leaf. A circle ends where it began.
func (h *History) Path() []Entry {
	var path []Entry
	passed := make([]bool, len(h.Entries))
	at, ok := h.Index[h.Leaf]
	for ok && !passed[at] {
		passed[at] = true
		path = append(path, h.Entries[at])
		at, ok = h.Index[h.Entries[at].Parent]
	}
	slices.Reverse(path)
	return path
}

// Context returns the messages that the model would be sent: what the last compaction of the path
// made of those before it, those that it kept, and those after it.
func (h *History) Context() []message.Message {
	path := h.Path()
	messages := []message.Message{}
	from := 0
	last := -1
	for i, e := range path {
		if e.Type == entryCompaction {
			last = i
		}
	}
	if last >= 0 {
		c := path[last].compaction()
		messages = append(messages, message.CompactionSummary{Role: message.RoleCompactionSummary, Summary: c.Summary, ShortSummary: c.ShortSummary, TokensBefore: c.TokensBefore, Timestamp: path[last].millis()})
		from = last
		if i := slices.IndexFunc(path[:last], func(e Entry) bool { return e.ID == c.FirstKeptEntryID }); i >= 0 {
			from = i
		}
	}
	for _, e := range path[from:] {
		if m := e.Message(); m != nil {
			messages = append(messages, m)
		}
	}
	return messages
}

// UserMessage returns the message of a user that an entry is, and its record.
func (h *History) UserMessage(id string) (seq uint64, said string, ok bool) {
	at, ok := h.Index[id]
	if !ok {
		return 0, "", false
	}
	said, ok = message.UserText(h.Entries[at].Message())
	return h.Seqs[id], said, ok
}

// A Prompt is what a user said, and its entry.
type Prompt struct{ EntryID, Text string }

// Prompts returns the messages of the user that have any text, also those that are not on the path.
func (h *History) Prompts() []Prompt {
	all := []Prompt{}
	for _, e := range h.Entries {
		if said, ok := message.UserText(e.Message()); ok && said != "" {
			all = append(all, Prompt{e.ID, said})
		}
	}
	return all
}

// Has reports whether all of these are in the history.
func (h *History) Has(entries []Entry) bool {
	for _, e := range entries {
		if _, ok := h.Index[e.ID]; !ok {
			return false
		}
	}
	return true
}
