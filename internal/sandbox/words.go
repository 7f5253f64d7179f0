package sandbox

import (
	"bytes"
	"sync"
)

// maxWord bounds a line of Words, in bytes; the rest of it is dropped.
const maxWord = 4 << 10

// Words is what a program prints for people, line by line: an io.Writer for its stderr. It is
// safe for use by several goroutines.
type Words struct {
	say func(line string) string

	mu    sync.Mutex
	line  []byte // not yet ended
	final string // the last line that was not empty
}

// NewWords gives each line to say, which tells it to people, and returns what of it may be
// quoted; "" is as if there was none. It must not wait.
func NewWords(say func(line string) string) *Words { return &Words{say: say} }

// Write takes any part of any number of lines.
func (w *Words) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(text)
	for len(text) > 0 {
		part, rest, ended := bytes.Cut(text, []byte{'\n'})
		w.line = append(w.line, part[:min(len(part), maxWord-len(w.line))]...)
		if ended {
			w.end()
		}
		text = rest
	}
	return n, nil
}

// End says what is left of a last line.
func (w *Words) End() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
}

func (w *Words) end() {
	if len(w.line) == 0 {
		return
	}
	if said := w.say(string(w.line)); said != "" {
		w.final = said
	}
	w.line = w.line[:0]
}

// Last is the last line that was not empty; "": there was none.
func (w *Words) Last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.final
}
