package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/link"
)

// loadBudget requests what is left of the budget.
func (m *Model) loadBudget() tea.Cmd {
	session := m.session
	return request(m, func(ctx context.Context, h Host) (link.Usage, error) { return h.Usage(ctx, session) }, func(m *Model, u link.Usage, err error) tea.Cmd {
		if err != nil || session != m.session {
			return nil
		}
		m.budget = ""
		switch b := u.Budget; {
		case b == nil:
		case b.Limits.Cost > 0:
			m.budget = cost(max(0, b.Limits.Cost-b.Used.Cost))
		case b.Limits.TotalTokens > 0:
			m.budget = count(max(0, b.Limits.TotalTokens-b.Used.TotalTokens)) + " tokens"
		default:
			m.budget = percent(b.Left())
		}
		return nil
	})
}
