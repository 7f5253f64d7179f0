package tool

import (
	"bytes"
	"unicode/utf8"
)

// A shellOutput collects what a command writes, in memory that does not grow with it, and
// shows it live.
type shellOutput struct {
	stdout, stderr *shellStream // the same one, when both are interleaved
	live           *shellLive
}

func newShellOutput(show func(string), separate bool) *shellOutput {
	o := &shellOutput{live: newShellLive(show)}
	if !separate {
		o.stdout = &shellStream{kept: newClip(MaxFull), live: o.live}
		o.stderr = o.stdout
		return o
	}
	o.stdout = &shellStream{kept: newClip(MaxFull / 2), live: o.live}
	o.stderr = &shellStream{kept: newClip(MaxFull / 2), live: o.live}
	return o
}

// end is called when nothing is written any more.
func (o *shellOutput) end() {
	o.stdout.end()
	o.stderr.end()
	o.live.end()
}

// cut is what was written, at most limit bytes, and how many bytes of it are missing. Where
// stdout comes before stderr, each has a note of its own, and stderr half of the room.
func (o *shellOutput) cut(limit int) (text []byte, omitted int64) {
	if o.stdout == o.stderr {
		return o.stdout.kept.cut(limit)
	}
	errors, errorsOmitted := o.stderr.kept.cut(limit / 2)
	text, omitted = o.stdout.kept.cut(limit - len(errors) - len("\n"))
	if len(text) > 0 && len(errors) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return append(text, errors...), omitted + errorsOmitted
}

// A shellStream makes valid UTF-8 of what is written to it. A run of bytes that are none,
// or NUL, becomes one U+FFFD.
type shellStream struct {
	kept  *clip
	live  *shellLive
	held  []byte // the beginning of a rune
	feeds int    // line feeds in all that was written
}

// Write never fails.
func (s *shellStream) Write(p []byte) (int, error) {
	var whole []byte
	whole, s.held = splitRunes(s.held, p)
	s.pass(whole)
	return len(p), nil
}

// splitRunes takes p behind what was held: whole runes, and the beginning of another.
func splitRunes(held, p []byte) (whole, rest []byte) {
	text := p
	if len(held) > 0 {
		text = append(held, p...)
	}
	whole = wholeRunes(text)
	return whole, bytes.Clone(text[len(whole):])
}

// plainText is text with one U+FFFD for each run of bytes that are no UTF-8, or NUL.
func plainText(text []byte) []byte {
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
		return text
	}
	return bytes.ToValidUTF8(bytes.ReplaceAll(text, []byte{0}, []byte{0xFF}), []byte("\uFFFD"))
}

// end passes on what is held; called again, it does nothing.
func (s *shellStream) end() {
	s.pass(s.held)
	s.held = nil
}

func (s *shellStream) pass(text []byte) {
	text = plainText(text)
	s.feeds += bytes.Count(text, []byte("\n"))
	_, _ = s.kept.Write(text)
	s.live.add(text)
}
