package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"parley.dev/parley/internal/lock"
)

// ErrOutputClosed reports that a write has failed or the reader has stopped reading; no later write
// is tried.
var ErrOutputClosed = errors.New("output is gone")

// errNotLine reports a mistake of the caller; nothing was written.
var errNotLine = errors.New("wire: a line with a line feed in it")

// A Writer writes complete lines in the order of the calls. It may be used by several goroutines.
// It blocks while its reader does not read.
type Writer struct {
	closed   chan struct{} // closed by the first call of fail
	accepted atomic.Int64  // bytes that the output has accepted

	mu  lock.Mutex // held while lines are written
	out io.Writer

	errMu lock.Mutex
	err   error // why the output is closed; nil if it is not
}

// maxWrite is the maximum number of bytes per write, so that accepted grows while a slow reader reads
// a long line.
const maxWrite = 16 << 10

// NewWriter returns a Writer to w. Nothing else may write to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{out: w, closed: make(chan struct{})}
}

// Closed returns a channel that is closed when a write has failed or Fail was called.
func (w *Writer) Closed() <-chan struct{} { return w.closed }

// Fail closes the output for this reason, even while a write blocks: no later line is written.
func (w *Writer) Fail(reason error) { _ = w.fail(reason) }

// fail closes the output, and returns why it is closed, which is cause unless there was an earlier
// one.
func (w *Writer) fail(cause error) error {
	w.errMu.Lock()
	defer w.errMu.Unlock()
	if w.err == nil {
		w.err = fmt.Errorf("%w: %w", ErrOutputClosed, cause)
		close(w.closed)
	}
	return w.err
}

func (w *Writer) failure() error {
	w.errMu.Lock()
	defer w.errMu.Unlock()
	return w.err
}

// WriteLine writes line and an LF. It rejects a line that contains an LF, without writing anything;
// every other error wraps ErrOutputClosed and is final.
func (w *Writer) WriteLine(line []byte) error { return w.WriteLines(line) }

// WriteLines is WriteLine for several lines, which are written at once: all, or none if one is rejected.
func (w *Writer) WriteLines(lines ...[]byte) error {
	size := 0
	for _, line := range lines {
		if bytes.IndexByte(line, '\n') >= 0 {
			return errNotLine
		}
		size += len(line) + 1
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	buffer := writeBuffers.Get().(*[]byte)
	text := slices.Grow((*buffer)[:0], size)
	for _, line := range lines {
		text = append(append(text, line...), '\n')
	}
	err := w.write(text)
	if cap(text) <= maxIdleBuffer {
		*buffer = text
		writeBuffers.Put(buffer)
	}
	return err
}

// writeBuffers are buffers of writes: an idle Writer needs none.
var writeBuffers = sync.Pool{New: func() any { return new([]byte) }}

// write writes lines in parts of at most maxWrite bytes. The caller holds w.mu.
func (w *Writer) write(lines []byte) error {
	for len(lines) > 0 {
		if err := w.failure(); err != nil {
			return err
		}
		next := lines[:min(len(lines), maxWrite)]
		n, err := w.out.Write(next)
		w.accepted.Add(int64(n))
		if err == nil && n < len(next) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return w.fail(err)
		}
		lines = lines[n:]
	}
	return nil
}
