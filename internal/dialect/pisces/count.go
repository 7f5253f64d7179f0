package pisces

import (
	"slices"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/event"
)

// A contextCount counts the messages of the next request, without storing them.
type contextCount struct {
	messages []counted
	summed   uint64 // the last compaction; 0: none
	lost     bool   // the history went where only the journal knows: it has to be counted anew
}

// A counted message is in the context.
type counted struct {
	id        string // of its entry
	seq, node uint64
}

// apply takes the next durable record, and its finished messages.
func (c *contextCount) apply(rec event.Record, all []message.Finished) {
	for _, t := range all {
		if t.Void {
			continue
		}
		c.messages = append(c.messages, counted{t.ID, t.Seq, t.Node})
	}
	switch e := rec.Event.(type) {
	case event.Compacted:
		kept := []counted{{"", rec.Seq, rec.Seq}}
		for _, m := range c.messages {
			if e.KeptFrom != 0 && m.seq >= e.KeptFrom && m.id != "" { // an older summary is summed up, too
				kept = append(kept, m)
			}
		}
		c.messages, c.summed = kept, rec.Seq
	case event.Branched:
		c.branch(e.Head)
	}
}

func (c *contextCount) branch(head uint64) {
	if head == 0 {
		*c = contextCount{}
		return
	}
	known := slices.ContainsFunc(c.messages, func(m counted) bool { return m.node == head })
	c.lost = c.lost || !known || head < c.summed
	c.messages = slices.DeleteFunc(c.messages, func(m counted) bool { return m.node > head })
}

// entry returns the id of the first entry from a record on that has a message in the context; ""
// if none has.
func (c *contextCount) entry(seq uint64) string {
	for _, m := range c.messages {
		if m.seq >= seq && seq != 0 && m.id != "" {
			return m.id
		}
	}
	return ""
}
