package screen

import (
	"slices"
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

// theme returns the theme of a name; unknown ones are dark.
func theme(name string, noColor bool) draw.Theme {
	if noColor {
		return draw.NoColour
	}
	return []draw.Theme{draw.Dark, draw.Light, draw.Contrast}[max(0, slices.Index(Themes, name))]
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
