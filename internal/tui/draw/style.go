package draw

import "strings"

// A style is how text looks. The zero style is that of the terminal.
type style struct {
	fg, bg                                          string // parameters of SGR; "": the terminal's own colour
	bold, faint, italic, underline, strike, reverse bool
}

// over returns s with what it does not set taken from base.
func (s style) over(base style) style {
	if s.fg == "" {
		s.fg = base.fg
	}
	if s.bg == "" {
		s.bg = base.bg
	}
	s.bold = s.bold || base.bold
	s.faint = s.faint || base.faint
	s.italic = s.italic || base.italic
	s.underline = s.underline || base.underline
	s.strike = s.strike || base.strike
	s.reverse = s.reverse || base.reverse
	return s
}

// begin appends the SGR sequence that sets the style, after one that has reset it.
func (s style) begin(out []byte) []byte {
	out = append(out, "\x1b["...)
	first := len(out)
	set := func(on bool, parameters string) {
		if !on {
			return
		}
		if len(out) > first {
			out = append(out, ';')
		}
		out = append(out, parameters...)
	}
	set(s.bold, "1")
	set(s.faint, "2")
	set(s.italic, "3")
	set(s.underline, "4")
	set(s.reverse, "7")
	set(s.strike, "9")
	set(s.fg != "", s.fg)
	set(s.bg != "", s.bg)
	return append(out, 'm')
}

// A span is clean text without line feeds, in one style.
type span struct {
	text  string
	style style
	link  string // an address that safeLink has returned; "": none
}

// A line is the spans of a line.
type line []span

// plain returns the text of the line.
func (l line) plain() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// encode returns the line for a terminal. Its end has no style and no link.
func (l line) encode() string {
	var out []byte
	var last style
	link := ""
	for i, s := range l {
		if s.text == "" {
			continue
		}
		if s.link != link {
			if last != (style{}) {
				out = append(out, "\x1b[m"...)
				last = style{}
			}
			out = append(append(append(out, "\x1b]8;;"...), s.link...), "\x1b\\"...)
			link = s.link
		}
		if s.style != last {
			if last != (style{}) {
				out = append(out, "\x1b[m"...)
			}
			if s.style != (style{}) {
				out = s.style.begin(out)
			}
			last = s.style
		}
		if i == 0 && len(l) == 1 && len(out) == 0 {
			return s.text
		}
		out = append(out, s.text...)
	}
	if last != (style{}) {
		out = append(out, "\x1b[m"...)
	}
	if link != "" {
		out = append(out, "\x1b]8;;\x1b\\"...)
	}
	return string(out)
}
