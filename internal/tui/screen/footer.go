package screen

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/record"
)

// The words of the footer for what the session does.
const (
	wordWaiting = "waiting for you"
	wordLost    = "Connection lost"
)

// statusWord is a word of the status: no other part of the footer has one.
var statusWord = lazy.Regexp{Expr: `(?i)\b(idle|thinking|working|waiting for you|compacting|connection lost)\b`}

// status returns the status in the words of the footer.
func (m *Model) status() string {
	switch {
	case m.lost:
		return wordLost
	case len(m.state().Waiting) > 0:
		return wordWaiting
	}
	switch s := m.state().Status; s {
	case record.StatusThinking, record.StatusWorking, record.StatusCompacting:
		return s
	case record.StatusWaiting:
		return wordWaiting
	}
	if m.sends() {
		return record.StatusThinking
	}
	return record.StatusIdle
}

// footer returns the last line: the status, the model, the mode and the context, and what else there is space for.
func (m *Model) footer(width int) string {
	status := m.status()
	var style paint
	switch status {
	case wordLost:
		style = m.style.failure
	case wordWaiting:
		style = m.style.warning
	case record.StatusIdle:
		style = m.style.ok
	default:
		style = m.style.accent
	}
	const indent, gap = " ", 2
	used := len(indent) + len(status)
	line := indent + style(status)
	model, mode := terminal.Line(m.modelName()), terminal.Line(m.modeName())
	context := fmt.Sprintf("%d%%", m.contextPercent())
	// The model's name is shortened before the mode or the context is left out.
	if room := width - used - len(context) - ansi.StringWidth(mode) - 4*gap; ansi.StringWidth(model) > room && room >= 6 {
		model = ansi.Truncate(model, room, "…")
	}
	parts := append([]string{model, mode, context}, m.extras()...)
	for i, part := range parts {
		if part == "" || i > 2 && statusWord.Get().MatchString(part) {
			continue
		}
		w := gap + ansi.StringWidth(part)
		if used+w > width {
			continue
		}
		line += strings.Repeat(" ", gap) + m.style.dim(part)
		used += w
	}
	return fit(line, width)
}

// extras are the parts of the footer of wide terminals.
func (m *Model) extras() []string {
	st := m.state()
	var parts []string
	if s := m.sandboxName(); s != "" {
		parts = append(parts, "sandbox "+terminal.Line(s))
	}
	if tokens := st.Usage.Input + st.Usage.CacheRead + st.Usage.CacheWrite + st.Usage.Output; tokens > 0 {
		parts = append(parts, count(tokens)+" tokens")
	}
	if st.Cost > 0 {
		parts = append(parts, cost(st.Cost))
	}
	if m.budget != "" {
		parts = append(parts, m.budget+" left")
	}
	if m.branch != "" {
		parts = append(parts, terminal.Line(m.branch))
	}
	return parts
}

// contextPercent returns how much of the model's context is used.
func (m *Model) contextPercent() int {
	st := m.state()
	window := st.Window
	if window == 0 {
		window = m.models.window(m.modelName())
	}
	if window == 0 {
		return 0
	}
	return min(100, (st.Context*100+window/2)/window)
}

// count returns a number of tokens in a short form.
func count(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// cost returns an amount of US dollars.
func cost(dollars float64) string {
	if dollars > 0 && dollars < 0.01 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// percent returns a part of a whole.
func percent(part float64) string { return fmt.Sprintf("%.0f%%", 100*part) }
