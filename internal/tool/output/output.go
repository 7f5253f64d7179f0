package output

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley.dev/parley/internal/event"
)

// An Output collects what a command writes, in memory that does not grow with it, and
// shows it live.
type Output struct {
	Stdout, Stderr *Stream // the same one, when both are interleaved
	live           *live
}

// New returns an output of which at most keep bytes are kept, shown live by show. With separate stderr
// follows stdout; else they are interleaved.
func New(show func(string), separate bool, keep int) *Output {
	o := &Output{live: newLive(show)}
	if !separate {
		o.Stdout = &Stream{kept: newClip(keep), live: o.live}
		o.Stderr = o.Stdout
		return o
	}
	o.Stdout = &Stream{kept: newClip(keep / 2), live: o.live}
	o.Stderr = &Stream{kept: newClip(keep / 2), live: o.live}
	return o
}

// Settle keeps what was written so far, lines that are not whole included.
func (o *Output) Settle() {
	o.Stdout.rest()
	o.Stderr.rest()
}

// Flush shows what was written and waits to be shown.
func (o *Output) Flush() { o.live.showWaiting() }

// AddNote writes a line of our own between what commands write.
func (o *Output) AddNote(line string) {
	o.Settle()
	if last := o.Stdout.kept.lastBytes(1); len(last) > 0 && last[0] != '\n' {
		line = "\n" + line
	}
	_, _ = o.Stdout.Write([]byte(line))
}

// End is called when nothing is written any more.
func (o *Output) End() {
	o.Stdout.end()
	o.Stderr.end()
	o.live.end()
}

// Cut returns what was written, at most limit bytes, and how many bytes of it are missing. Where
// stdout comes before stderr, each has a note of its own, and stderr half of the room and what
// stdout leaves; streams says then where they are.
func (o *Output) Cut(limit int) (text []byte, omitted int64, streams *event.ShellStreams) {
	if o.Stdout == o.Stderr {
		text, omitted = o.Stdout.Cut(limit)
		return text, omitted, nil
	}
	between := 0 // a line feed
	if o.Stdout.length() > 0 && o.Stderr.length() > 0 {
		between = len("\n")
	}
	streams = &event.ShellStreams{}
	room := limit - between - int(min(o.Stdout.length(), int64(limit/2)))
	errors, errorsOmitted := o.Stderr.Cut(room)
	text, omitted = o.Stdout.Cut(limit - between - len(errors))
	streams.Stdout, streams.OmittedStdout = len(text), omitted
	streams.Stderr, streams.OmittedStderr = len(errors), errorsOmitted
	if len(text) > 0 && len(errors) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return append(text, errors...), omitted + errorsOmitted, streams
}

// A Stream makes valid UTF-8 of what is written to it. A run of bytes that are none,
// or NUL, becomes one U+FFFD.
type Stream struct {
	kept  *clip
	live  *live
	held  []byte // the beginning of a rune
	feeds int    // line feeds in all that was written

	screen  Screen
	text    []byte // of the last write; its memory is used again
	size    int64  // of all that was written, in bytes
	strange int64  // of them, those that are no text
}

// Write never fails.
func (s *Stream) Write(p []byte) (int, error) {
	var whole []byte
	whole, s.held = SplitRunes(s.held, p)
	s.pass(whole)
	return len(p), nil
}

// SplitRunes takes p after what was held: whole runes, and the beginning of another.
func SplitRunes(held, p []byte) (whole, rest []byte) {
	text := p
	if len(held) > 0 {
		text = append(held, p...)
	}
	whole = WholeRunes(text)
	return whole, bytes.Clone(text[len(whole):])
}

// PlainText returns text with one U+FFFD for each run of bytes that are no UTF-8, or NUL.
func PlainText(text []byte) []byte {
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
		return text
	}
	return bytes.ToValidUTF8(bytes.ReplaceAll(text, []byte{0}, []byte{0xFF}), []byte("\uFFFD"))
}

// end passes on what is held; called again, it does nothing.
func (s *Stream) end() {
	s.pass(s.held)
	s.held = nil
	s.rest()
}

// rest keeps the last line, though it may not be whole.
func (s *Stream) rest() {
	s.text = s.screen.End(s.text[:0])
	_, _ = s.kept.Write(s.text)
}

func (s *Stream) pass(text []byte) {
	plain := PlainText(text)
	s.size += int64(len(text))
	s.strange += strangeBytes(text)
	s.feeds += bytes.Count(plain, []byte("\n"))
	s.text = s.screen.Write(s.text[:0], plain)
	_, _ = s.kept.Write(s.text)
	s.live.add(plain)
}

// textControls are the control characters that text has.
const textControls = "\t\n\v\f\r\b\a\x1B"

// strangeControl has true for the bytes that are control characters which no text has.
var strangeControl = func() (strange [utf8.RuneSelf]bool) {
	for b := range byte(' ') {
		strange[b] = strings.IndexByte(textControls, b) < 0
	}
	return strange
}()

// strangeBytes returns how many bytes of text are no UTF-8, or control characters that no text has.
func strangeBytes(text []byte) (n int64) {
	for i := 0; i < len(text); {
		if b := text[i]; b < utf8.RuneSelf {
			if strangeControl[b] {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			n++
		}
		i += size
	}
	return n
}

// Binary reports whether what was written is no text: a third of its bytes, and not a few.
func (s *Stream) Binary() bool { return s.strange >= 32 && s.strange*3 >= s.size }

// Cut returns what was written, at most limit bytes, as clip.cut has it; of what is no text a line says how much it is.
func (s *Stream) Cut(limit int) (text []byte, omitted int64) {
	if s.Binary() {
		return fmt.Appendf(nil, "[binary output, %d bytes; to work with it, write it to a file]\n", s.size), 0
	}
	return s.kept.cut(limit)
}

// length returns how many bytes cut has, where nothing is omitted.
func (s *Stream) length() int64 {
	if s.Binary() {
		text, _ := s.Cut(0)
		return int64(len(text))
	}
	return s.kept.size
}

// Tail returns the end of what was written, at most most bytes, from the beginning of a character.
func (s *Stream) Tail(most int) []byte {
	tail := s.kept.lastBytes(int(min(int64(most), s.kept.size)))
	if int64(len(tail)) < s.kept.size {
		tail = laterRunes(tail)
	}
	return tail
}

// Bytes returns how much was written.
func (s *Stream) Bytes() int64 { return s.kept.size }

// Lines returns how many lines were written, a last one without a line feed included.
func (s *Stream) Lines() int {
	if s.kept.size == 0 {
		return 0
	}
	return s.feeds + 1
}
