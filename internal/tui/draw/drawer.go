package draw

import (
	"github.com/yuin/goldmark/parser"

	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

// Options are what a terminal can do, and what a Drawer must know of the program. When something changes of what the
// functions return, a new Drawer is needed.
type Options struct {
	Links     bool   // OSC 8
	UnfoldKey string // the key that unfolds what is cut, such as ctrl+x; "": it is not named
	Name      string // of this client: answers of others have their names
	// Folder returns the folder of the session: commands there do not name theirs; nil: it is not known.
	Folder func() string
	// Picture returns what is known of an image; nil: nothing.
	Picture func(record.Image) Picture
	// Own reports whether this client has given the answer to an approval or to questions; nil: it is known from Name. It is
	// needed where several clients have the same name.
	Own func(id string) bool
}

// A Drawer draws the items of one conversation: those of others may have the same keys and versions. It remembers the last
// ones, and is not safe for concurrent use.
type Drawer struct {
	theme    Theme
	palette  *palette
	options  Options
	markdown parser.Parser // nil until the first Markdown
	cache    cache
}

// New returns a Drawer.
func New(theme Theme, options Options) *Drawer {
	return &Drawer{theme: theme, palette: theme.palette(), options: options}
}

// Lines returns an item as lines of at most width cells, without an empty one before or after it. Each line begins and
// ends in the style of the terminal. What is long is cut or folded unless it is unfolded. The slice must not be changed.
func (d *Drawer) Lines(item conversation.Item, width int, unfolded bool) []string {
	width = max(width, 1)
	e := d.cache.find(item.Key)
	if e.drawn && e.version == item.Version && e.width == width && e.unfolded == unfolded {
		return e.lines
	}
	if e.width != width || e.unfolded != unfolded {
		e.state = nil
	}
	var lines []string
	switch item.Kind {
	case conversation.Answer:
		lines = d.answer(e, item, width)
	case conversation.Command:
		lines = d.command(e, item, width, unfolded)
	case conversation.Subagent:
		lines = d.subagent(item, width, unfolded)
	default:
		lines = encode(d.draw(item, width, unfolded), width)
	}
	d.cache.put(e, item.Version, width, unfolded, lines)
	return lines
}

// Paint returns text in the style of a role, cleaned and in one line.
func (d *Drawer) Paint(role Role, text string) string {
	return line{{text: oneLine(text), style: d.palette[role]}}.encode()
}

// encode returns lines for a terminal of that width.
func encode(lines []line, width int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = clip(l, width).encode()
	}
	return out
}

// by returns " by NAME" of the client that has given an answer if it was another one.
func (d *Drawer) by(id, by string, client record.Peer) string {
	name := oneLine(client.Name)
	if by != "client" || name == "" {
		return ""
	}
	own := name == oneLine(d.options.Name)
	if d.options.Own != nil {
		own = d.options.Own(id)
	}
	if own {
		return ""
	}
	return " by " + name
}
