package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrGone says that nobody reads the output any more: a write failed, and no later one is
// tried.
var ErrGone = errors.New("output is gone")

// errNotLine is a mistake of the caller's; nothing was written.
var errNotLine = errors.New("wire: a line with a line feed in it")

// A Writer is the one way out: whole lines, each in a single write, in the order of the
// calls. It may be used by several goroutines. A reader that stands still blocks it.
type Writer struct {
	gone chan struct{} // closed by the first write that fails

	mu   sync.Mutex
	out  io.Writer
	line []byte // the line being written, with its LF
	err  error  // why the output is gone; nil while it is not
}

// NewWriter writes lines to w, which nobody else may write to.
func NewWriter(w io.Writer) *Writer {
	return &Writer{out: w, gone: make(chan struct{})}
}

// Gone is closed when the first write has failed.
func (w *Writer) Gone() <-chan struct{} { return w.gone }

// WriteLine writes line and an LF. A line that holds an LF itself is refused and changes
// nothing; every other error wraps ErrGone and is final.
func (w *Writer) WriteLine(line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return errNotLine
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = append(append(w.line[:0], line...), '\n')
	err := w.write(w.line)
	if cap(w.line) > keep {
		w.line = nil
	}
	return err
}

// write is called with the lock held.
func (w *Writer) write(lines []byte) error {
	if w.err != nil {
		return w.err
	}
	n, err := w.out.Write(lines)
	if err == nil && n < len(lines) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.err = fmt.Errorf("%w: %w", ErrGone, err)
		close(w.gone)
	}
	return w.err
}
