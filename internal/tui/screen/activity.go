package screen

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"parley.dev/parley/internal/terminal"
)

// activity is how long the turn runs.
type activity struct {
	turn   string
	began  time.Time
	due    bool // a secondOver comes
	frames int  // seconds, for the sign that something happens
}

// secondOver is a message: the time that the turn runs is another one.
type secondOver struct{}

// beat is the time between two changes of the line above the input while a turn runs.
const beat = time.Second

// watchTurn counts the seconds of the turn that runs.
func (m *Model) watchTurn() tea.Cmd {
	a := &m.activity
	if turn := m.state().Turn; turn != a.turn {
		a.turn, a.began = turn, m.o.Now()
	}
	if a.turn == "" || a.due {
		return nil
	}
	a.due = true
	return m.o.After(beat, secondOver{})
}

func (m *Model) secondOver() tea.Cmd {
	m.activity.due = false
	m.activity.frames++
	return m.watchTurn()
}

// activityText is what the line above the input says while a turn runs.
func (m *Model) activityText() string {
	a := m.activity
	if a.turn == "" || len(m.state().Waiting) > 0 {
		return ""
	}
	text := duration(m.o.Now().Sub(a.began))
	if r := m.state().Retry; r != nil {
		text += fmt.Sprintf(" · attempt %d of %d: %s", r.Attempt+1, r.Max+1, terminal.Line(r.Failure.Message))
	}
	return text
}

// topRule is the rule above the input. It has how long the turn runs, and says when there is more below the page.
func (m *Model) topRule(width int) string {
	left, right := m.activityText(), ""
	if !m.page.AtEnd() {
		right = "↓ " + m.o.Keys.first(keyToEnd)
	}
	if m.input.vi.on && !m.input.vi.inserting {
		right = strings.TrimSpace(right + " NORMAL")
	}
	line, used := "", 0
	if left != "" {
		sign := string([]rune("◐◓◑◒")[m.activity.frames%4])
		left = sign + " " + fit(left, max(1, width/2))
		line = m.style.dim("─ ") + m.style.accent(left) + " "
		used = 3 + ansi.StringWidth(left)
	}
	tail, rest := "", 0
	if right != "" && used+ansi.StringWidth(right)+6 < width {
		tail = " " + m.style.accent(right) + m.style.dim(" ─")
		rest = ansi.StringWidth(right) + 3
	}
	return fit(line+m.style.dim(strings.Repeat("─", max(0, width-used-rest)))+tail, width)
}

// duration returns a time in seconds, minutes and hours.
func duration(d time.Duration) string {
	s := int(d / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
}
