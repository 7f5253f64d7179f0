package draw

import "fmt"

// A Theme is the colours of a console.
type Theme uint8

// The themes. NoColour has bold, italic, underlined and reversed text alone. Nothing depends on a colour in any of them.
const (
	Dark Theme = iota
	Light
	Contrast      // on a dark background
	ContrastLight // on a light one
	NoColour
)

// A Role is what a part of a screen is for, and so how it looks.
type Role uint8

// The roles.
const (
	Text     Role = iota
	Faint         // what is less important
	Strong        // bold
	Accent        // what the eye looks for first
	Good          // success
	Warn          // what needs attention
	Bad           // failure
	Selected      // the row that Enter would take
	linkRole      // an address
	codeRole      // code in a sentence
	headingRole
	commentRole // of source code, as the following ones
	keywordRole
	literalRole
	numberRole
	calledRole
	namedRole
	addedRole     // a line of a diff
	removedRole   // a line of a diff
	invisibleRole // the sign of a character that cannot be seen
	roles
)

// A palette is the styles of a theme.
type palette [roles]style

// colours are those of a palette, as #RRGGBB; the empty ones are the terminal's own. Terminals with 256 colours show the
// nearest ones, and so must they be legible.
type colours struct {
	faint, accent, good, warn, bad, link, code, heading       string
	comment, keyword, literal, number, called, named          string
	addedBack, removedBack, selected, selectedBack, invisible string
}

var themes = map[Theme]colours{
	Dark: {
		faint: "#949494", accent: "#7cb7ff", good: "#86cf8a", warn: "#e3b866", bad: "#ff938a", link: "#7cb7ff", code: "#d9b48f", heading: "#7cb7ff",
		comment: "#9e9e9e", keyword: "#c9a3ff", literal: "#a8d4a0", number: "#f0b787", called: "#86c1ff", named: "#8fd6dc",
		addedBack: "#182c1f", removedBack: "#351e20", selected: "#ffffff", selectedBack: "#31415c", invisible: "#ff938a",
	},
	Light: {
		faint: "#5b6470", accent: "#0b57b0", good: "#005f00", warn: "#7d4e00", bad: "#b3251c", link: "#0b57b0", code: "#86421a", heading: "#0b57b0",
		comment: "#56606c", keyword: "#5f00af", literal: "#005f00", number: "#6f2f00", called: "#0a4f9f", named: "#0b5d68",
		addedBack: "#ddf6e2", removedBack: "#fde7e5", selected: "#000000", selectedBack: "#d3e3fb", invisible: "#b3251c",
	},
	Contrast: {
		faint: "#d0d0d0", accent: "#8fd0ff", good: "#8cff9a", warn: "#ffe066", bad: "#ffa8a0", link: "#8fd0ff", code: "#ffd9a8", heading: "#8fd0ff",
		comment: "#d0d0d0", keyword: "#e2c8ff", literal: "#baffb0", number: "#ffd9a8", called: "#a8d8ff", named: "#a8f4ff",
		addedBack: "#00290d", removedBack: "#3d0008", selected: "#000000", selectedBack: "#ffe066", invisible: "#ffa8a0",
	},
	ContrastLight: {
		faint: "#333a42", accent: "#003e8a", good: "#004d1a", warn: "#5c3600", bad: "#8a0008", link: "#003e8a", code: "#5c2a00", heading: "#003e8a",
		comment: "#333a42", keyword: "#471c96", literal: "#00471a", number: "#5c2a00", called: "#003a80", named: "#00434d",
		addedBack: "#e3fbe8", removedBack: "#ffecea", selected: "#ffffff", selectedBack: "#003e8a", invisible: "#8a0008",
	},
}

// palette returns the styles of the theme.
func (t Theme) palette() *palette {
	c := themes[t] // the zero value of NoColour: no colours
	p := &palette{
		Faint: {fg: foreground(c.faint)}, Strong: {bold: true}, Accent: {fg: foreground(c.accent), bold: true},
		Good: {fg: foreground(c.good)}, Warn: {fg: foreground(c.warn)}, Bad: {fg: foreground(c.bad)},
		Selected: {fg: foreground(c.selected), bg: background(c.selectedBack), bold: true},
		linkRole: {fg: foreground(c.link), underline: true}, codeRole: {fg: foreground(c.code)}, headingRole: {fg: foreground(c.heading), bold: true},
		commentRole: {fg: foreground(c.comment), italic: true}, keywordRole: {fg: foreground(c.keyword)}, literalRole: {fg: foreground(c.literal)},
		numberRole: {fg: foreground(c.number)}, calledRole: {fg: foreground(c.called)}, namedRole: {fg: foreground(c.named)},
		addedRole: {fg: foreground(c.good), bg: background(c.addedBack)}, removedRole: {fg: foreground(c.bad), bg: background(c.removedBack)},
		invisibleRole: {fg: foreground(c.invisible), reverse: true},
	}
	if t == NoColour {
		p[Selected].reverse = true
		p[Bad].bold = true
		p[Warn].bold = true
	}
	return p
}

func foreground(colour string) string { return rgb("38", colour) }
func background(colour string) string { return rgb("48", colour) }

// rgb returns the parameters of SGR that set a colour.
func rgb(ground, colour string) string {
	var r, g, b int
	if n, _ := fmt.Sscanf(colour, "#%02x%02x%02x", &r, &g, &b); n != 3 {
		return ""
	}
	return fmt.Sprintf("%s;2;%d;%d;%d", ground, r, g, b)
}
