package terminal

import (
	"io"

	"golang.org/x/term"
)

// A File is an open file, such as *os.File.
type File interface{ Fd() uintptr }

// Is reports whether w is a terminal.
func Is(w any) bool {
	f, ok := w.(File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Output returns a writer to w that cleans the text if w is a terminal. A file or a pipe gets
// the bytes as they are. Its Close writes the rest, and leaves w open.
func Output(w io.Writer) io.WriteCloser {
	if Is(w) {
		return NewWriter(w)
	}
	return raw{w}
}

type raw struct{ io.Writer }

func (raw) Close() error { return nil }

// A Writer cleans the text that is written to it, see Clean. A character may be divided between
// two writes. It is not safe for concurrent use.
type Writer struct {
	w     io.Writer
	clean cleaner
	out   []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes the clean form of p. It returns len(p), or 0 with an error of the underlying writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.out = w.clean.append(w.out[:0], p)
	if err := w.flush(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the rest of an incomplete character. The underlying writer stays open, and the
// Writer can still be used.
func (w *Writer) Close() error {
	w.out = w.clean.flush(w.out[:0])
	return w.flush()
}

func (w *Writer) flush() error {
	if len(w.out) == 0 {
		return nil
	}
	_, err := w.w.Write(w.out)
	return err
}
