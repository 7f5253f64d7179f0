package tool

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley.dev/parley/internal/event"
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

// settle keeps what was written so far, lines that are not whole included.
func (o *shellOutput) settle() {
	o.stdout.rest()
	o.stderr.rest()
}

// flush shows what was written and waits to be shown.
func (o *shellOutput) flush() { o.live.showWaiting() }

// note writes a line of our own between what commands write.
func (o *shellOutput) note(line string) {
	o.settle()
	if last := o.stdout.kept.lastBytes(1); len(last) > 0 && last[0] != '\n' {
		line = "\n" + line
	}
	_, _ = o.stdout.Write([]byte(line))
}

// end is called when nothing is written any more.
func (o *shellOutput) end() {
	o.stdout.end()
	o.stderr.end()
	o.live.end()
}

// cut returns what was written, at most limit bytes, and how many bytes of it are missing. Where
// stdout comes before stderr, each has a note of its own, and stderr half of the room and what
// stdout leaves; streams says then where they are.
func (o *shellOutput) cut(limit int) (text []byte, omitted int64, streams *event.ShellStreams) {
	if o.stdout == o.stderr {
		text, omitted = o.stdout.cut(limit)
		return text, omitted, nil
	}
	between := 0 // a line feed
	if o.stdout.length() > 0 && o.stderr.length() > 0 {
		between = len("\n")
	}
	streams = &event.ShellStreams{}
	room := limit - between - int(min(o.stdout.length(), int64(limit/2)))
	errors, errorsOmitted := o.stderr.cut(room)
	text, omitted = o.stdout.cut(limit - between - len(errors))
	streams.Stdout, streams.OmittedStdout = len(text), omitted
	streams.Stderr, streams.OmittedStderr = len(errors), errorsOmitted
	if len(text) > 0 && len(errors) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return append(text, errors...), omitted + errorsOmitted, streams
}

// A shellStream makes valid UTF-8 of what is written to it. A run of bytes that are none,
// or NUL, becomes one U+FFFD.
type shellStream struct {
	kept  *clip
	live  *shellLive
	held  []byte // the beginning of a rune
	feeds int    // line feeds in all that was written

	screen  screen
	text    []byte // of the last write; its memory is used again
	size    int64  // of all that was written, in bytes
	strange int64  // of them, those that are no text
}

// Write never fails.
func (s *shellStream) Write(p []byte) (int, error) {
	var whole []byte
	whole, s.held = splitRunes(s.held, p)
	s.pass(whole)
	return len(p), nil
}

// splitRunes takes p after what was held: whole runes, and the beginning of another.
func splitRunes(held, p []byte) (whole, rest []byte) {
	text := p
	if len(held) > 0 {
		text = append(held, p...)
	}
	whole = wholeRunes(text)
	return whole, bytes.Clone(text[len(whole):])
}

// plainText returns text with one U+FFFD for each run of bytes that are no UTF-8, or NUL.
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
	s.rest()
}

// rest keeps the last line, though it may not be whole.
func (s *shellStream) rest() {
	s.text = s.screen.end(s.text[:0])
	_, _ = s.kept.Write(s.text)
}

func (s *shellStream) pass(text []byte) {
	plain := plainText(text)
	s.size += int64(len(text))
	s.strange += strangeBytes(text)
	s.feeds += bytes.Count(plain, []byte("\n"))
	s.text = s.screen.write(s.text[:0], plain)
	_, _ = s.kept.Write(s.text)
	s.live.add(plain)
}

// strangeBytes returns how many bytes of text are no UTF-8, or control characters that no text has.
func strangeBytes(text []byte) (n int64) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 || r < ' ' && !strings.ContainsRune("\t\n\v\f\r\b\a\x1B", r) {
			n++
		}
		text = text[size:]
	}
	return n
}

// binary reports whether what was written is no text: a third of its bytes, and not a few.
func (s *shellStream) binary() bool { return s.strange >= 32 && s.strange*3 >= s.size }

// cut returns what was written, at most limit bytes, as clip.cut has it; of what is no text a line says how much it is.
func (s *shellStream) cut(limit int) (text []byte, omitted int64) {
	if s.binary() {
		return fmt.Appendf(nil, "[binary output, %d bytes; to work with it, write it to a file]\n", s.size), 0
	}
	return s.kept.cut(limit)
}

// length returns how many bytes cut has, where nothing is omitted.
func (s *shellStream) length() int64 {
	if s.binary() {
		text, _ := s.cut(0)
		return int64(len(text))
	}
	return s.kept.size
}
