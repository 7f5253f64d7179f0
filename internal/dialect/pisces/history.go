package pisces

import (
	"iter"
	"slices"

	"parley.dev/parley/internal/event"
)

// A history is all entries of a session, in memory.
type history struct {
	entries []entry
	index   map[string]int    // of an entry, by its id
	seqs    map[string]uint64 // of an entry's record, by its id
	leaf    string            // the last entry of the path; "": none
}

// readHistory is the history that records tell.
func readHistory(records iter.Seq2[event.Record, error], with surroundings) (*history, error) {
	h := &history{index: map[string]int{}, seqs: map[string]uint64{}}
	s := newScribe(with, "")
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		for _, e := range s.write(rec) {
			h.seqs[e.ID] = rec.Seq
			h.add(e)
		}
	}
	h.leaf = s.leaf
	return h, nil
}

// historyOf is the history that a file tells. Its entries are of no records.
func historyOf(entries []entry) *history {
	h := &history{index: map[string]int{}}
	for _, e := range entries {
		h.add(e)
		h.leaf = e.ID
	}
	return h
}

func (h *history) add(e entry) {
	h.index[e.ID] = len(h.entries)
	h.entries = append(h.entries, e)
}

// path is the entries from the root to the leaf. A circle ends where it began.
func (h *history) path() []entry {
	var path []entry
	passed := make([]bool, len(h.entries))
	at, ok := h.index[h.leaf]
	for ok && !passed[at] {
		passed[at] = true
		path = append(path, h.entries[at])
		at, ok = h.index[h.entries[at].Parent]
	}
	slices.Reverse(path)
	return path
}

// context is the messages that the model would be told: what the last compaction of the path
// made of those before it, those that it kept, and those behind it.
func (h *history) context() []Message {
	path := h.path()
	messages := []Message{}
	from := 0
	last := -1
	for i, e := range path {
		if e.Type == entryCompaction {
			last = i
		}
	}
	if last >= 0 {
		c := path[last].compaction()
		messages = append(messages, CompactionSummaryMessage{RoleCompactionSummary, c.Summary, c.ShortSummary, c.TokensBefore, path[last].millis()})
		from = last
		if i := slices.IndexFunc(path[:last], func(e entry) bool { return e.ID == c.FirstKeptEntryID }); i >= 0 {
			from = i
		}
	}
	for _, e := range path[from:] {
		if m := e.message(); m != nil {
			messages = append(messages, m)
		}
	}
	return messages
}

// userMessage is the message of a person that an entry is, and its record.
func (h *history) userMessage(id string) (seq uint64, said string, ok bool) {
	at, ok := h.index[id]
	if !ok {
		return 0, "", false
	}
	said, ok = userText(h.entries[at].message())
	return h.seqs[id], said, ok
}

// A prompt is what a person said, and its entry.
type prompt struct{ EntryID, Text string }

// prompts is the messages of the person that have any text, also those that are not on the path.
func (h *history) prompts() []prompt {
	all := []prompt{}
	for _, e := range h.entries {
		if said, ok := userText(e.message()); ok && said != "" {
			all = append(all, prompt{e.ID, said})
		}
	}
	return all
}

// has says whether all of these are in the history.
func (h *history) has(entries []entry) bool {
	for _, e := range entries {
		if _, ok := h.index[e.ID]; !ok {
			return false
		}
	}
	return true
}
