package session

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
)

// summaryIntro is the beginning of the message that has a summary.
const summaryIntro = "The older part of this conversation was replaced by the summary below. The work goes on: " +
	"build on what is done, and do not begin again or repeat it.\n\n"

// Cut divides the history for a compaction: it returns the messages that a summary replaces, and the record
// of the first message that stays. The last message always stays; what stays before it has at most keep
// tokens, and does not begin between a call and its result.
func (f *Fold) Cut(keep int) (old []Entry, keptFrom uint64) {
	room := keep * BytesPerToken
	for i := len(f.Entries) - 2; i >= 0; i-- {
		if room -= f.EntryBytes(f.Entries[i]); room < 0 {
			return f.Entries[:i+1], f.Entries[i+1].Seq
		}
	}
	return nil, 0
}

// EntryBytes returns the size of a message with the results of its calls, in bytes.
func (f *Fold) EntryBytes(e Entry) int {
	n := MessageBytes(e.Message)
	for _, call := range e.Message.Calls() {
		n += ResultBytes(f.Results[event.CallID(call.ID)])
	}
	return n
}

// SizeAfter returns the bytes that the history has after c.
func (f *Fold) SizeAfter(c event.Compacted) int {
	n := len(CompactedText(c))
	for _, e := range f.KeptFrom(c.KeptFrom) {
		n += f.EntryBytes(e)
	}
	return n
}

// KeptFrom returns the messages that a compaction keeps; see event.Compacted.
func (f *Fold) KeptFrom(seq uint64) []Entry {
	if seq == 0 {
		return nil
	}
	for i, e := range f.Entries {
		if e.Seq == seq || e.Seq > seq && e.Compacted == nil {
			return f.Entries[i:]
		}
	}
	return nil
}

// CompactedText returns the message that models read in place of the messages that were summarised.
func CompactedText(e event.Compacted) string {
	var b strings.Builder
	b.WriteString(summaryIntro + strings.TrimSpace(e.Summary))
	if prompts := promptsText(e.Carryover); prompts != "" {
		b.WriteString("\n\n# What the user wrote, word for word\n\n" + prompts)
	}
	if e.Carryover.State != "" {
		b.WriteString("\n\n# State when the summary was written\n\n" + e.Carryover.State)
	}
	return b.String()
}

// promptsText returns the prompts of a Carryover as models read them.
func promptsText(c event.Carryover) string {
	var b strings.Builder
	for i, p := range c.Prompts {
		fmt.Fprintf(&b, "<user_message>\n%s\n</user_message>\n", p)
		if i == 0 && c.Omitted > 0 {
			fmt.Fprintf(&b, "(%d more messages of the user left out)\n", c.Omitted)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
