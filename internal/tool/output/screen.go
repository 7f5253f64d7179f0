package output

import (
	"bytes"
	"unicode/utf8"
)

// A Screen turns what a command writes for a terminal into the text that would stay there: of a line that is
// written several times, as progress bars are, the last state, without escape sequences and control
// characters. It knows lines, and no places on a screen. The zero value is ready.
type Screen struct {
	Line     []byte // the last line, as far as it is not passed on
	returned bool   // a carriage return was the last: the next text replaces the line
	state    screenState
	length   int  // of the escape sequence
	erase    byte // the parameter of the sequence, if it has one digit
	controls int  // control characters that were left out
}

// A screenState is where in an escape sequence a screen is.
type screenState uint8

const (
	inText      screenState = iota
	inEscape                // after ESC
	inCharset               // after ESC and an intermediate byte
	inControl               // a control sequence, after ESC [
	inString                // a title or the like, which ends in BEL or ESC \
	inStringEnd             // in one, after ESC
)

const (
	// maxScreenLine is how much of a line is held back, in bytes: a longer one is passed on in pieces.
	maxScreenLine = 64 << 10
	// maxEscape is how long an escape sequence may be, in bytes. What goes on is text.
	maxEscape = 4 << 10
)

// Write appends to out the lines of text, whole runes, that are complete.
func (s *Screen) Write(out, text []byte) []byte {
	if s.state == inText && !s.returned && !hasControl(text) { // nearly all that commands write
		if at := bytes.LastIndexByte(text, '\n') + 1; at > 0 {
			out = append(append(out, s.Line...), text[:at]...)
			s.Line, text = s.Line[:0], text[at:]
		}
		s.Line = append(s.Line, text...)
		return s.bound(out)
	}
	for i := 0; i < len(text); i++ {
		b := text[i]
		if s.state != inText && s.sequence(b) {
			continue
		}
		switch {
		case b == '\n':
			out = append(append(out, s.Line...), '\n')
			s.Line, s.returned = s.Line[:0], false
		case b == '\r':
			s.returned = true
		case b == '\b':
			if !s.returned {
				_, size := utf8.DecodeLastRune(s.Line)
				s.Line = s.Line[:len(s.Line)-size]
			}
		case b == 0x1B:
			s.state, s.length, s.erase = inEscape, 0, 0
		case isControl(b):
			s.controls++
		default:
			if s.returned {
				s.Line, s.returned = s.Line[:0], false
			}
			s.Line = append(s.Line, b)
			if b < utf8.RuneSelf || i+1 == len(text) || utf8.RuneStart(text[i+1]) {
				out = s.bound(out)
			}
		}
	}
	return out
}

// isControl reports whether b does something on a terminal but to move to the next line or column.
func isControl(b byte) bool { return b < ' ' && b != '\n' && b != '\t' || b == 0x7F }

func hasControl(text []byte) bool {
	for _, b := range text {
		if isControl(b) {
			return true
		}
	}
	return false
}

// sequence takes a byte of an escape sequence; false if the byte is text, as the sequence cannot go on with it.
func (s *Screen) sequence(b byte) bool {
	inside := s.state == inString || s.state == inStringEnd
	if s.length++; b == '\n' || !inside && b >= utf8.RuneSelf || s.length > maxEscape && utf8.RuneStart(b) {
		s.state = inText
		return false
	}
	switch s.state {
	case inEscape:
		switch {
		case b == '[':
			s.state = inControl
		case bytes.IndexByte([]byte("]PX^_"), b) >= 0:
			s.state = inString
		case b >= 0x20 && b < 0x30:
			s.state = inCharset
		default:
			s.state = inText
		}
	case inCharset:
		if b >= 0x30 {
			s.state = inText
		}
	case inControl:
		switch {
		case b >= '0' && b <= '9' && s.length == 2:
			s.erase = b
		case b >= 0x40 && b <= 0x7E:
			s.control(b)
			s.state = inText
		}
	case inString:
		switch b {
		case 0x07:
			s.state = inText
		case 0x1B:
			s.state = inStringEnd
		}
	case inStringEnd:
		s.state = inString
		if b == '\\' {
			s.state = inText
		}
	}
	return true
}

// control does what a control sequence does to the line.
func (s *Screen) control(final byte) {
	switch {
	case final == 'G' && (s.erase == 0 || s.erase == '0' || s.erase == '1') && s.length <= 3: // to the first column
		s.returned = true
	case final == 'K' && (s.returned || s.erase == '1' || s.erase == '2'): // erases the line
		s.Line = s.Line[:0]
	}
}

// bound appends the line to out if it is too long to be held back.
func (s *Screen) bound(out []byte) []byte {
	if len(s.Line) > maxScreenLine {
		out = append(out, s.Line...)
		s.Line = s.Line[:0]
	}
	return out
}

// End appends to out what is held back. The line goes on with what is written then.
func (s *Screen) End(out []byte) []byte {
	out = append(out, s.Line...)
	s.Line = s.Line[:0]
	return out
}
