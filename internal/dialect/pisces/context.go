package pisces

import (
	"slices"
	"strings"
)

// branchMessages is what a branch can begin with.
func branchMessages(h *history) []BranchMessage {
	all := []BranchMessage{}
	for _, p := range h.prompts() {
		all = append(all, BranchMessage(p))
	}
	return all
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
