package message

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// A Summary is what counts of a message.
type Summary struct {
	Text    string // of all texts
	Blocks  int
	Calls   int
	Stop    StopReason
	Usage   Usage
	Premium float64
}

// SummaryOf counts a message of any role.
func SummaryOf(m Message) (s Summary) {
	switch m := m.(type) {
	case User:
		s.Text, s.Blocks = TextOf(m.Content), len(m.Content)
	case Assistant:
		s.Text, s.Blocks, s.Stop, s.Usage = TextOf(m.Content), len(m.Content), m.StopReason, m.Usage
		for _, c := range m.Content {
			if _, isCall := c.(ToolCall); isCall {
				s.Calls++
			}
		}
	case ToolResult:
		if m.ToolName == "task" {
			s.Usage = detailsUsage(m.Details)
		}
	case Raw:
		return rawSummary(m)
	}
	return s
}

// rawSummary returns the summary of a message of another program. What does not fit is as if it
// was not there.
func rawSummary(m Raw) (s Summary) {
	members := map[string]jsontext.Value{}
	lenient := jsontext.AllowDuplicateNames(true)
	if json.Unmarshal(m.Value, &members, lenient) != nil {
		return s
	}
	for _, b := range RawBlocks(members["content"]) {
		s.Blocks++
		switch b.Type {
		case TypeText:
			s.Text += b.Text
		case TypeCall:
			s.Calls++
		}
	}
	if m.Role == RoleAssistant {
		s.Stop = StopReason(rawjson.PlainText(members["stopReason"]))
		s.Usage, s.Premium = UsageFrom(members["usage"])
	}
	if m.Role == RoleToolResult && rawjson.PlainText(members["toolName"]) == "task" {
		s.Usage = detailsUsage(members["details"])
	}
	return s
}

// detailsUsage returns the usage in a result of the task tool.
func detailsUsage(details jsontext.Value) Usage {
	var d struct {
		Usage jsontext.Value `json:"usage"`
	}
	_ = json.Unmarshal(details, &d, jsontext.AllowDuplicateNames(true)) // without one it is nothing
	usage, _ := UsageFrom(d.Usage)
	return usage
}

// UsageFrom reads a usage of another program, which may count in fractions.
func UsageFrom(raw jsontext.Value) (u Usage, premium float64) {
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

// A RawBlock is a piece of the content of a message of another program.
type RawBlock struct {
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

// RawBlocks reads content: a text, or blocks, of which those that make no sense are left out.
func RawBlocks(content jsontext.Value) []RawBlock {
	if content.Kind() == jsontext.KindString {
		return []RawBlock{{Type: TypeText, Text: rawjson.PlainText(content)}}
	}
	var raw []jsontext.Value
	lenient := jsontext.AllowDuplicateNames(true)
	if json.Unmarshal(content, &raw, lenient) != nil {
		return nil
	}
	var blocks []RawBlock
	for _, value := range raw {
		var b RawBlock
		if json.Unmarshal(value, &b, lenient) == nil {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// UserText returns the text of a message of a user.
func UserText(m Message) (string, bool) {
	if m == nil || m.MessageRole() != RoleUser {
		return "", false
	}
	return SummaryOf(m).Text, true
}
