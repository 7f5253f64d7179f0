package output

import (
	"fmt"
	"unicode/utf8"
)

// A clip keeps the beginning and the end of valid UTF-8 of any length in bounded memory,
// and counts what it leaves out in the middle.
type clip struct {
	headMax, tailMax int
	head             []byte
	tail             []byte // a ring once it has tailMax bytes
	next             int    // where in the ring the oldest byte is, and the next one goes
	size             int64  // of all that was written
}

// note stands for what was left out. NoteRoom is its greatest length in bytes.
const (
	note     = "\n[… %d bytes omitted …]\n"
	NoteRoom = 48
)

// newClip returns a clip that keeps limit bytes, half of them from the beginning.
func newClip(limit int) *clip {
	return &clip{headMax: limit / 2, tailMax: limit - limit/2}
}

// Write never fails. Text may be split within a rune.
func (c *clip) Write(text []byte) (int, error) {
	n := len(text)
	c.size += int64(n)
	fits := min(len(text), c.headMax-len(c.head))
	c.head = append(c.head, text[:fits]...)
	text = text[fits:]

	text = text[max(0, len(text)-c.tailMax):]
	fits = min(len(text), c.tailMax-len(c.tail))
	c.tail = append(c.tail, text[:fits]...)
	for text = text[fits:]; len(text) > 0; {
		done := copy(c.tail[c.next:], text)
		c.next = (c.next + done) % c.tailMax
		text = text[done:]
	}
	return n, nil
}

// cut returns what was written, or else at most limit bytes of its beginning and end, cut at
// runes, with a note between them; omitted is the bytes that the note stands for.
func (c *clip) cut(limit int) (text []byte, omitted int64) {
	whole := len(c.head) + len(c.tail)
	text = make([]byte, 0, min(whole, limit))
	if c.size <= int64(min(whole, limit)) {
		return append(append(text, c.head...), c.tail...), 0
	}
	limit = max(0, limit-NoteRoom)
	head := WholeRunes(c.head[:min(len(c.head), limit/2)])
	tail := laterRunes(c.lastBytes(limit - len(head)))
	omitted = c.size - int64(len(head)+len(tail))
	text = fmt.Appendf(append(text, head...), note, omitted)
	return append(text, tail...), omitted
}

// lastBytes returns a copy of the last n bytes that were kept, without a gap between them.
func (c *clip) lastBytes(n int) []byte {
	last := make([]byte, 0, n)
	if c.size == int64(len(c.head)+len(c.tail)) {
		fromHead := min(len(c.head), max(0, n-len(c.tail)))
		last = append(last, c.head[len(c.head)-fromHead:]...)
	}
	older, newer := c.tail[c.next:], c.tail[:c.next]
	skip := max(0, len(c.tail)-n)
	last = append(last, older[min(skip, len(older)):]...)
	return append(last, newer[max(0, skip-len(older)):]...)
}

// laterRunes returns text from its first whole rune on.
func laterRunes(text []byte) []byte {
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// Clip returns text, or else at most limit bytes of its beginning and end, as cut does it.
func Clip(text string, limit int) (clipped string, omitted int64) {
	if len(text) <= limit {
		return text, 0
	}
	c := newClip(limit)
	_, _ = c.Write([]byte(text))
	cut, omitted := c.cut(limit)
	return string(cut), omitted
}

// WholeRunes returns text without a last rune that is cut.
func WholeRunes(text []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
