package sandbox

import (
	"bytes"
	"sync"
)

// maxLine bounds a line of a LineWriter, in bytes; the rest of it is dropped.
const maxLine = 4 << 10

// A LineWriter splits a program's standard error into lines and passes each one to a function. It
// is safe for use by several goroutines.
type LineWriter struct {
	handle func(line string) string

	mu   sync.Mutex
	line []byte // not yet ended
	last string // the last line for which handle did not return ""
}

// NewLineWriter returns a LineWriter that calls handle with each line that is not empty. handle
// returns the text that Last may return for the line; "" excludes it. It must not block.
func NewLineWriter(handle func(line string) string) *LineWriter {
	return &LineWriter{handle: handle}
}

// Write accepts any part of any number of lines. It never fails.
func (w *LineWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(text)
	for len(text) > 0 {
		part, rest, ended := bytes.Cut(text, []byte{'\n'})
		w.line = append(w.line, part[:min(len(part), maxLine-len(w.line))]...)
		if ended {
			w.flush()
		}
		text = rest
	}
	return n, nil
}

// Flush ends a last line that has no newline.
func (w *LineWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
}

func (w *LineWriter) flush() {
	if len(w.line) == 0 {
		return
	}
	if text := w.handle(string(w.line)); text != "" {
		w.last = text
	}
	w.line = w.line[:0]
}

// Last returns the last text other than "" that handle returned; "" if there was none.
func (w *LineWriter) Last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}
