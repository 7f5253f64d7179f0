package draw

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi/kitty"

	"parley.dev/parley/record"
)

// A Picture is what is known of an image, and the place that the terminal shows it in.
type Picture struct {
	Bytes         int // its size; 0: not known
	Width, Height int // in pixels; 0: not known
	ID            int // its number in a terminal with the graphics of kitty; 0: the terminal does not have it
	Columns, Rows int // its size in cells, if it has an ID
}

// images returns images, or lines in their places. The name is that of what has them, for images without one.
func (d *Drawer) images(images []record.Image, name string, width int) []line {
	var lines []line
	for _, image := range images {
		p := Picture{Bytes: len(image.Data)}
		if d.options.Picture != nil {
			p = d.options.Picture(image)
		}
		if p.ID > 0 && p.Columns <= width && d.theme != NoColour { // the number is a colour
			lines = append(lines, placeholders(p)...)
		}
		lines = append(lines, clip(d.caption(image, p, name), width))
	}
	return lines
}

// caption returns a line with the path and the size of an image.
func (d *Drawer) caption(image record.Image, p Picture, name string) line {
	if text := oneLine(image.Name); text != "" {
		name = text
	}
	if name == "" {
		name = oneLine(image.MIME)
	}
	l := line{d.text(Accent, "image "), {text: name}}
	if p.Width > 0 {
		l = append(l, d.text(Faint, fmt.Sprintf(" %d×%d", p.Width, p.Height)))
	}
	if p.Bytes > 0 {
		l = append(l, d.text(Faint, " "+bytesText(p.Bytes)))
	}
	return l
}

// placeholders returns the characters in whose places the terminal shows a picture: the row and the column are marks on
// them, and the number of the picture is their colour.
func placeholders(p Picture) []line {
	look := style{fg: fmt.Sprintf("38;2;%d;%d;%d", p.ID>>16&0xff, p.ID>>8&0xff, p.ID&0xff)}
	lines := make([]line, p.Rows)
	for row := range lines {
		var b strings.Builder
		for column := range p.Columns {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(row))
			b.WriteRune(kitty.Diacritic(column))
		}
		lines[row] = line{{text: b.String(), style: look}}
	}
	return lines
}

// bytesText returns a size for the user.
func bytesText(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case n < 1000*1000:
		return strconv.Itoa(n/1000) + " kB"
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
