package screen

import (
	"strings"

	"parley.dev/parley/internal/tui/draw"
)

// Themes are the names of the themes.
var Themes = []string{"dark", "light", "contrast"}

// A paint returns clean text in a style.
type paint func(text string) string

// styles are how the parts of the screen around the conversation look.
type styles struct {
	text, dim, accent, strong, ok, warning, failure, selected paint
}

// themeOf returns the theme of a name, for a background that is light or not. The name "" is that of the background.
func themeOf(name string, light, noColor bool) draw.Theme {
	switch {
	case noColor:
		return draw.NoColour
	case name == "contrast" && light:
		return draw.ContrastLight
	case name == "contrast":
		return draw.Contrast
	case name == "light", name == "" && light:
		return draw.Light
	}
	return draw.Dark
}

// newStyles returns the styles of a drawer.
func newStyles(d *draw.Drawer) styles {
	return styles{
		text: plain, dim: paintOf(d, draw.Faint), accent: paintOf(d, draw.Accent), strong: paintOf(d, draw.Strong), ok: paintOf(d, draw.Good),
		warning: paintOf(d, draw.Warn), failure: paintOf(d, draw.Bad), selected: paintOf(d, draw.Selected),
	}
}

func plain(text string) string { return text }

// paintOf returns the paint of a role. Unlike Drawer.Paint it leaves blanks as they are.
func paintOf(d *draw.Drawer, role draw.Role) paint {
	before, after, _ := strings.Cut(d.Paint(role, "x"), "x")
	return func(text string) string {
		if text == "" {
			return ""
		}
		return before + text + after
	}
}
