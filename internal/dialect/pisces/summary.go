package pisces

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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

// userText is the text of a message of a person.
func userText(m Message) (string, bool) {
	if m == nil || m.MessageRole() != RoleUser {
		return "", false
	}
	return summaryOf(m).text, true
}
