package pisces

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
)

// branchMessages returns what a branch can begin with.
func branchMessages(h *sessionfile.History) []BranchMessage {
	all := []BranchMessage{}
	for _, p := range h.Prompts() {
		all = append(all, BranchMessage(p))
	}
	return all
}

// lastAssistantText returns what the model said last; nil if that is nothing. An empty message of
// an interrupt is passed over.
func lastAssistantText(messages []message.Message) *string {
	for _, m := range slices.Backward(messages) {
		if m.MessageRole() != message.RoleAssistant {
			continue
		}
		s := message.SummaryOf(m)
		if s.Stop == message.StopAborted && s.Blocks == 0 {
			continue
		}
		if said := strings.TrimSpace(s.Text); said != "" {
			return &said
		}
		return nil
	}
	return nil
}

// statsOf counts messages. The session's names are left to the caller.
func statsOf(messages []message.Message) SessionStats {
	stats := SessionStats{TotalMessages: len(messages)}
	for _, m := range messages {
		s := message.SummaryOf(m)
		switch m.MessageRole() {
		case message.RoleUser:
			stats.UserMessages++
		case message.RoleAssistant:
			stats.AssistantMessages++
			stats.ToolCalls += s.Calls
		case message.RoleToolResult:
			stats.ToolResults++
		}
		stats.Tokens.Input += s.Usage.Input
		stats.Tokens.Output += s.Usage.Output
		stats.Tokens.CacheRead += s.Usage.CacheRead
		stats.Tokens.CacheWrite += s.Usage.CacheWrite
		stats.Cost += s.Usage.Cost.Total
		stats.PremiumRequests += s.Premium
	}
	t := &stats.Tokens
	t.Total = t.Input + t.Output + t.CacheRead + t.CacheWrite
	return stats
}
