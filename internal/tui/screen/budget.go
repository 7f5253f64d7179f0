package screen

import (
	tea "charm.land/bubbletea/v2"
)

// budget is what session/usage returns of the budget of the process.
type budget struct {
	Budget *struct {
		Limits amounts `json:"limits"`
		Used   amounts `json:"used"`
	} `json:"budget"`
}

// amounts are what a budget limits.
type amounts struct {
	Cost   float64 `json:"cost"`   // US dollars
	Tokens int     `json:"total_tokens"`
}

// loadBudget requests what is left of the budget.
func (m *Model) loadBudget() tea.Cmd {
	session := m.session
	return request(m, "session/usage", m.about(nil), func(m *Model, b budget, err error) tea.Cmd {
		if err != nil || session != m.session {
			return nil
		}
		m.budget = ""
		if b.Budget == nil {
			return nil
		}
		limits, used := b.Budget.Limits, b.Budget.Used
		switch {
		case limits.Cost > 0:
			m.budget = cost(max(0, limits.Cost-used.Cost))
		case limits.Tokens > 0:
			m.budget = count(max(0, limits.Tokens-used.Tokens)) + " tokens"
		}
		return nil
	})
}
