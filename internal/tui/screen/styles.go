package screen

import (
	"slices"

	"charm.land/lipgloss/v2"
)

// Themes are the names of the themes.
var Themes = []string{"dark", "light", "contrast"}

// styles are how the parts of the screen around the conversation look.
type styles struct {
	text, dim, rule, accent, strong     lipgloss.Style
	ok, warning, failure, selected, key lipgloss.Style
}

// newStyles returns the styles of a theme; without colours they are only bold, reverse and plain.
func newStyles(theme string, noColor bool) styles {
	plain := lipgloss.NewStyle()
	s := styles{
		text: plain, dim: plain, rule: plain, accent: plain.Bold(true), strong: plain.Bold(true),
		ok: plain, warning: plain.Bold(true), failure: plain.Bold(true), selected: plain.Bold(true), key: plain.Bold(true),
	}
	if noColor {
		return s
	}
	color := func(dark, light, contrast string) lipgloss.Style {
		return plain.Foreground(lipgloss.Color([]string{dark, light, contrast}[max(0, slices.Index(Themes, theme))]))
	}
	s.dim = color("#8a8f98", "#6b7079", "#d0d0d0")
	s.rule = color("#4a4f59", "#c3c7ce", "#ffffff")
	s.accent = color("#7aa2f7", "#2e5fd0", "#00ffff").Bold(true)
	s.ok = color("#9ece6a", "#2f7d32", "#00ff00")
	s.warning = color("#e0af68", "#8f5e00", "#ffff00").Bold(true)
	s.failure = color("#f7768e", "#c02638", "#ff6060").Bold(true)
	s.selected = color("#7aa2f7", "#2e5fd0", "#00ffff").Bold(true)
	s.key = color("#7dcfff", "#0b6e99", "#00ffff").Bold(true)
	return s
}
