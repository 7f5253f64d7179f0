package draw

import (
	"strings"
	"unicode/utf8"
)

// tabWidth is the distance of the tab stops, in cells.
const tabWidth = 4

// A part is a piece of a line that cannot be divided.
type part struct {
	span     int32 // its index
	from, to int32 // in the text of the span
	width    int16 // in cells
	blank    bool  // it is a space
	end      bool  // a line may end after it
	soft     bool  // as end, if the word is too long for a line
}

// parts divides a line without tabs.
func (l line) parts() []part {
	n := 0
	for _, s := range l {
		n += len(s.text)
	}
	parts := make([]part, 0, n)
	for i, s := range l {
		for at := 0; at < len(s.text); {
			c := s.text[at]
			if c < utf8.RuneSelf && (at+1 == len(s.text) || s.text[at+1] < utf8.RuneSelf) {
				parts = append(parts, part{int32(i), int32(at), int32(at + 1), 1, c == ' ', c == ' ', c == '-' || c == '/'})
				at++
				continue
			}
			text, n, w := cluster(s.text[at:])
			blank := text == " " // before a letter that is not ASCII
			parts = append(parts, part{int32(i), int32(at), int32(at + len(text)), int16(w), blank, blank || w > 1, false})
			at += n
		}
	}
	return parts
}

// join returns the line that consists of parts of l.
func (l line) join(parts []part) line {
	var out line
	for i := 0; i < len(parts); {
		s := l[parts[i].span]
		from, to := parts[i].from, parts[i].to
		first := i
		for i++; i < len(parts) && parts[i].span == parts[first].span && parts[i].from == to; i++ {
			to = parts[i].to
		}
		out = append(out, span{s.text[from:to], s.style, s.link})
	}
	return out
}

// expanded returns a line with blanks up to the next stop in place of each tab.
func (l line) expanded() line {
	tabs := false
	for _, s := range l {
		tabs = tabs || strings.IndexByte(s.text, '\t') >= 0
	}
	if !tabs {
		return l
	}
	out := make(line, len(l))
	column := 0
	for i, s := range l {
		out[i] = s
		rest := s.text
		var b strings.Builder
		for {
			before, after, ok := strings.Cut(rest, "\t")
			b.WriteString(before)
			column += widthOf(before)
			if !ok {
				break
			}
			n := tabWidth - column%tabWidth
			b.WriteString("    "[:n])
			column += n
			rest = after
		}
		out[i].text = b.String()
	}
	return out
}

// fits reports whether a line is no wider than width. It may report false for one that has more than ASCII.
func (l line) fits(width int) bool {
	for _, s := range l {
		if width -= len(s.text); width < 0 {
			return false
		}
		for i := range len(s.text) {
			if s.text[i] >= 0x7f {
				return false
			}
		}
	}
	return true
}

// wrap divides a line between words, and words that are too long. It returns at least one line.
func wrap(l line, width int) []line {
	if l = l.expanded(); l.fits(width) {
		return []line{l}
	}
	parts := l.parts()
	var lines []line
	start, used := 0, 0   // of the present line
	point, soft := -1, -1 // the last parts after which it may end
	word := false         // it has more than blanks
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		if used+int(p.width) > width && i > start {
			if p.blank { // a blank at the end takes no place
				lines = append(lines, l.join(trim(parts[start:i])))
				for i+1 < len(parts) && parts[i+1].blank {
					i++
				}
				start, used, point, soft, word = i+1, 0, -1, -1, false
				continue
			}
			end := i
			if point >= start {
				end = point + 1
			} else if soft >= start {
				end = soft + 1
			}
			lines = append(lines, l.join(trim(parts[start:end])))
			start, used, point, soft, word = end, 0, -1, -1, end < i
			for _, q := range parts[start:i] {
				used += int(q.width)
			}
		}
		used += int(p.width)
		if p.end && (word || p.width > 1) {
			point = i
		}
		if p.soft {
			soft = i
		}
		word = word || !p.blank
	}
	if start < len(parts) || len(lines) == 0 {
		lines = append(lines, l.join(parts[start:]))
	}
	return lines
}

// trim returns parts without blanks at the end.
func trim(parts []part) []part {
	for len(parts) > 0 && parts[len(parts)-1].blank {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// chop divides a line where it reaches the width. It returns at least one line.
func chop(l line, width int) []line {
	if l = l.expanded(); l.fits(width) {
		return []line{l}
	}
	parts := l.parts()
	var lines []line
	start, used := 0, 0
	for i, p := range parts {
		if used+int(p.width) > width && i > start {
			lines = append(lines, l.join(parts[start:i]))
			start, used = i, 0
		}
		used += int(p.width)
	}
	return append(lines, l.join(parts[start:]))
}

// clip returns a line of at most that width, which ends with an ellipsis if something is missing.
func clip(l line, width int) line {
	if l = l.expanded(); l.fits(width) {
		return l
	}
	parts := l.parts()
	used, fit := 0, 0 // fit parts have room before an ellipsis
	for i, p := range parts {
		if used+int(p.width) > width {
			if width < 1 {
				return nil
			}
			return append(l.join(parts[:fit]), span{text: "…", style: l[parts[max(i-1, 0)].span].style})
		}
		if used += int(p.width); used < width {
			fit = i + 1
		}
	}
	return l.join(parts)
}
