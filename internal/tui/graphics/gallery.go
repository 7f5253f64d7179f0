package graphics

import (
	"parley.dev/parley/internal/tui/draw"
	"parley.dev/parley/record"
)

// The largest size of an image in a conversation, in cells.
const (
	maxColumns = 60
	maxRows    = 20
)

// A Gallery is the images of a session. It is not safe for concurrent use.
type Gallery struct {
	kitty    bool
	pictures map[string]draw.Picture // by address; the zero Picture: it is not known yet
	wanted   []string
	last     int // number of an image in the terminal
}

// New returns a Gallery for a terminal that has the graphics of kitty, or has not.
func New(kitty bool) *Gallery { return &Gallery{kitty: kitty, pictures: map[string]draw.Picture{}} }

// Picture returns what is known of an image; for draw.Options.
func (g *Gallery) Picture(image record.Image) draw.Picture {
	if image.Blob == "" {
		return draw.Picture{Bytes: len(image.Data)}
	}
	p, ok := g.pictures[image.Blob]
	if !ok {
		g.pictures[image.Blob] = draw.Picture{}
		g.wanted = append(g.wanted, image.Blob)
	}
	return p
}

// Wanted returns the addresses of the images that Picture was called for and that must be read for Add, each once.
func (g *Gallery) Wanted() []string {
	wanted := g.wanted
	g.wanted = nil
	return wanted
}

// Add adds an image that was read, and returns what the terminal must get for it: "" is nothing. The items with it must
// be drawn again.
func (g *Gallery) Add(address string, data []byte) (sequences string) {
	p := draw.Picture{Bytes: len(data)}
	info, err := read(data)
	if err == nil {
		p.Width, p.Height = info.Width, info.Height
		if g.kitty {
			columns, rows := cells(info.Width, info.Height)
			if sequences, err = transmit(data, g.last+1, columns, rows); err == nil {
				g.last++
				p.ID, p.Columns, p.Rows = g.last, columns, rows
			}
		}
	}
	g.pictures[address] = p
	return sequences
}

// Close returns what removes the images from the terminal; "" is nothing.
func (g *Gallery) Close() string {
	if g.last == 0 {
		return ""
	}
	return remove
}
