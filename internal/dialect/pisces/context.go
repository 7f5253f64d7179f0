package pisces

import (
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

// branchMessages is the messages of the person that have any text, also those that are not on
// the path.
func (h *history) branchMessages() []BranchMessage {
	all := []BranchMessage{}
	for _, e := range h.entries {
		if said, ok := userText(e.message()); ok && said != "" {
			all = append(all, BranchMessage{e.ID, said})
		}
	}
	return all
}

// userText is the text of a message of a person.
func userText(m Message) (string, bool) {
	if m == nil || m.MessageRole() != RoleUser {
		return "", false
	}
	return summaryOf(m).text, true
}

// lastAssistantText is what the model said last; nil if that is nothing. An empty message of
// an interrupt is passed over.
func lastAssistantText(messages []Message) *string {
	for _, m := range slices.Backward(messages) {
		if m.MessageRole() != RoleAssistant {
			continue
		}
		s := summaryOf(m)
		if s.stop == StopAborted && s.blocks == 0 {
			continue
		}
		if said := strings.TrimSpace(s.text); said != "" {
			return &said
		}
		return nil
	}
	return nil
}

// statsOf counts messages. The session's names are left to the caller.
func statsOf(messages []Message) SessionStats {
	stats := SessionStats{TotalMessages: len(messages)}
	for _, m := range messages {
		s := summaryOf(m)
		switch m.MessageRole() {
		case RoleUser:
			stats.UserMessages++
		case RoleAssistant:
			stats.AssistantMessages++
			stats.ToolCalls += s.calls
		case RoleToolResult:
			stats.ToolResults++
		}
		stats.Tokens.Input += s.usage.Input
		stats.Tokens.Output += s.usage.Output
		stats.Tokens.CacheRead += s.usage.CacheRead
		stats.Tokens.CacheWrite += s.usage.CacheWrite
		stats.Cost += s.usage.Cost.Total
		stats.PremiumRequests += s.premium
	}
	t := &stats.Tokens
	t.Total = t.Input + t.Output + t.CacheRead + t.CacheWrite
	return stats
}

// A summary is what counts of a message.
type summary struct {
	text    string // of all texts
	blocks  int
	calls   int
	stop    StopReason
	usage   Usage
	premium float64
}

func summaryOf(m Message) (s summary) {
	switch m := m.(type) {
	case UserMessage:
		s.text, s.blocks = textOf(m.Content), len(m.Content)
	case AssistantMessage:
		s.text, s.blocks, s.stop, s.usage = textOf(m.Content), len(m.Content), m.StopReason, m.Usage
		for _, c := range m.Content {
			if _, isCall := c.(ToolCall); isCall {
				s.calls++
			}
		}
	case ToolResultMessage:
		if m.ToolName == "task" {
			s.usage = detailsUsage(m.Details)
		}
	case RawMessage:
		return rawSummary(m)
	}
	return s
}

// rawSummary is the summary of a message of another program. What does not fit is as if it
// was not there.
func rawSummary(m RawMessage) (s summary) {
	members := map[string]jsontext.Value{}
	lenient := jsontext.AllowDuplicateNames(true)
	if json.Unmarshal(m.Value, &members, lenient) != nil {
		return s
	}
	for _, b := range blocksOf(members["content"]) {
		s.blocks++
		switch b.Type {
		case contentText:
			s.text += b.Text
		case contentCall:
			s.calls++
		}
	}
	if m.Role == RoleAssistant {
		s.stop = StopReason(plainText(members["stopReason"]))
		s.usage, s.premium = usageFrom(members["usage"])
	}
	if m.Role == RoleToolResult && plainText(members["toolName"]) == "task" {
		s.usage = detailsUsage(members["details"])
	}
	return s
}

// detailsUsage is the usage that a result of the task tool tells.
func detailsUsage(details jsontext.Value) Usage {
	var d struct {
		Usage jsontext.Value `json:"usage"`
	}
	_ = json.Unmarshal(details, &d, jsontext.AllowDuplicateNames(true)) // without one it is nothing
	usage, _ := usageFrom(d.Usage)
	return usage
}

// usageFrom reads a usage of another program, which may count in fractions.
func usageFrom(raw jsontext.Value) (u Usage, premium float64) {
	var counts struct {
		Input           float64 `json:"input"`
		Output          float64 `json:"output"`
		CacheRead       float64 `json:"cacheRead"`
		CacheWrite      float64 `json:"cacheWrite"`
		PremiumRequests float64 `json:"premiumRequests"`
		Cost            Cost    `json:"cost"`
	}
	if json.Unmarshal(raw, &counts, jsontext.AllowDuplicateNames(true)) != nil {
		return Usage{}, 0
	}
	u = Usage{Input: int(counts.Input), Output: int(counts.Output), CacheRead: int(counts.CacheRead), CacheWrite: int(counts.CacheWrite), Cost: counts.Cost}
	u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	return u, counts.PremiumRequests
}

// A rawBlock is a piece of the content of a message of another program.
type rawBlock struct {
	Type              string         `json:"type"`
	Text              string         `json:"text"`
	Thinking          string         `json:"thinking"`
	ThinkingSignature string         `json:"thinkingSignature"`
	Data              string         `json:"data"`
	MIMEType          string         `json:"mimeType"`
	ID                string         `json:"id"`
	Name              string         `json:"name"`
	Arguments         jsontext.Value `json:"arguments"`
}

// blocksOf reads content: a text, or blocks, of which those that make no sense are left out.
func blocksOf(content jsontext.Value) []rawBlock {
	if content.Kind() == jsontext.KindString {
		return []rawBlock{{Type: contentText, Text: plainText(content)}}
	}
	var raw []jsontext.Value
	lenient := jsontext.AllowDuplicateNames(true)
	if json.Unmarshal(content, &raw, lenient) != nil {
		return nil
	}
	var blocks []rawBlock
	for _, value := range raw {
		var b rawBlock
		if json.Unmarshal(value, &b, lenient) == nil {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// plainText is a JSON string, or "".
func plainText(value jsontext.Value) string {
	var s string
	if value.Kind() != jsontext.KindString || json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}
