package draw

import "strings"

// tabWidth is the distance of the tab stops, in cells.
const tabWidth = 4

// A part is a piece of a line that cannot be divided.
type part struct {
	text  string
	width int
	style style
	link  string
}

// parts divides a line; a tab becomes blanks up to the next stop.
func (l line) parts() []part {
	n := 0
	for _, s := range l {
		n += len(s.text)
	}
	parts := make([]part, 0, n)
	column := 0
	for _, s := range l {
		for rest := s.text; rest != ""; {
			if rest[0] == '\t' {
				for range tabWidth - column%tabWidth {
					parts = append(parts, part{" ", 1, s.style, s.link})
					column++
				}
				rest = rest[1:]
				continue
			}
			text, n, w := cluster(rest)
			parts = append(parts, part{text, w, s.style, s.link})
			column += w
			rest = rest[n:]
		}
	}
	return parts
}

// join returns the line that consists of parts.
func join(parts []part) line {
	var l line
	for i := 0; i < len(parts); {
		var b strings.Builder
		first := parts[i]
		for i < len(parts) && parts[i].style == first.style && parts[i].link == first.link {
			b.WriteString(parts[i].text)
			i++
		}
		l = append(l, span{b.String(), first.style, first.link})
	}
	return l
}

// fits reports whether a line needs no other form for a width.
func (l line) fits(width int) bool {
	for _, s := range l {
		for i := range len(s.text) {
			if c := s.text[i]; c < ' ' || c >= 0x7f {
				return false
			}
		}
		if width -= len(s.text); width < 0 {
			return false
		}
	}
	return true
}

// wrap divides a line between words, and words that are too long. It returns at least one line.
func wrap(l line, width int) []line {
	if l.fits(width) {
		return []line{l}
	}
	parts := l.parts()
	var lines []line
	start, used := 0, 0 // of the present line
	point := -1         // where the present line may end: after this part
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		if used+p.width > width && i > start {
			if p.text == " " { // a blank at the end takes no place
				lines = append(lines, join(trim(parts[start:i])))
				for i+1 < len(parts) && parts[i+1].text == " " {
					i++
				}
				start, used, point = i+1, 0, -1
				continue
			}
			end := i
			if point >= start {
				end = point + 1
			}
			lines = append(lines, join(trim(parts[start:end])))
			start, used, point = end, 0, -1
			for _, q := range parts[start:i] {
				used += q.width
			}
		}
		used += p.width
		if p.text == " " && indented(parts[start:i]) || p.width > 1 || (p.text == "-" || p.text == "/") && i > start {
			point = i
		}
	}
	if start < len(parts) || len(lines) == 0 {
		lines = append(lines, join(parts[start:]))
	}
	return lines
}

// indented reports whether parts have something that is no blank.
func indented(parts []part) bool {
	for _, p := range parts {
		if p.text != " " {
			return true
		}
	}
	return false
}

// trim returns parts without blanks at the end.
func trim(parts []part) []part {
	for len(parts) > 0 && parts[len(parts)-1].text == " " {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// chop divides a line where it reaches the width. It returns at least one line.
func chop(l line, width int) []line {
	if l.fits(width) {
		return []line{l}
	}
	parts := l.parts()
	var lines []line
	start, used := 0, 0
	for i, p := range parts {
		if used+p.width > width && i > start {
			lines = append(lines, join(parts[start:i]))
			start, used = i, 0
		}
		used += p.width
	}
	return append(lines, join(parts[start:]))
}

// clip returns a line of at most that width, which ends with an ellipsis if something is missing.
func clip(l line, width int) line {
	if l.fits(width) {
		return l
	}
	parts := l.parts()
	used, fit := 0, 0 // fit parts have room before an ellipsis
	for i, p := range parts {
		if used+p.width > width {
			if width < 1 {
				return nil
			}
			return append(join(parts[:fit]), span{text: "…", style: parts[max(i-1, 0)].style})
		}
		if used += p.width; used < width {
			fit = i + 1
		}
	}
	return join(parts)
}
