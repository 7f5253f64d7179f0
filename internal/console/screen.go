package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/terminal"
)

// A style is the appearance of the program's own text on a terminal with colours.
type style string

const (
	plain  style = ""
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	red    style = "\x1b[31m"
	green  style = "\x1b[32m"
	yellow style = "\x1b[33m"
	cyan   style = "\x1b[36m"

	reset = "\x1b[0m"
)

// A Screen shows a session: the answer on one output, everything else on another. If the latter is
// a terminal, its last line is the status while nothing else is written there.
type Screen struct {
	mu      sync.Mutex
	out     io.WriteCloser // the answer, clean if it is a terminal
	err     io.Writer      // everything else; what is written to it is clean
	errFile terminal.File  // err where it is a terminal; else nil
	shared  bool           // out is a terminal, too
	colours bool
	midLine bool // the line of the answer has not ended
	status  status
}

// NewScreen returns a screen. The program's own text has colours if colours is set and err is a
// terminal.
func NewScreen(out, err io.Writer, colours bool) *Screen {
	s := &Screen{out: terminal.Output(out), err: err, shared: terminal.Is(out)}
	if terminal.Is(err) {
		s.errFile, _ = err.(terminal.File)
		s.colours = colours
	}
	return s
}

// size returns the size of the terminal.
func (s *Screen) size() (columns, rows int) {
	if s.errFile == nil {
		return 80, 24
	}
	return terminal.Size(s.errFile)
}

// Answer writes a piece of the answer.
func (s *Screen) Answer(text string) error {
	if text == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hideStatus()
	s.status.wrote(time.Now())
	s.midLine = !strings.HasSuffix(text, "\n")
	_, err := io.WriteString(s.out, text)
	return err
}

// EndAnswer ends the line of the answer, if it has not ended.
func (s *Screen) EndAnswer() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.out.Close() // writes the rest of a divided character
	if !s.midLine {
		return err
	}
	s.midLine = false
	s.hideStatus()
	if _, werr := io.WriteString(s.out, "\n"); err == nil {
		err = werr
	}
	return err
}

// label writes a line with a label: "[label] text".
func (s *Screen) label(look style, label, text string) {
	s.write(s.paint(look, "["+terminal.Line(label)+"]") + " " + terminal.Clean(text) + "\n")
}

// Warn writes a line with the label of a warning.
func (s *Screen) Warn(text string) { s.label(yellow, string(event.Warning), text) }

// Error writes a line with the label of an error.
func (s *Screen) Error(text string) { s.label(red, string(event.Error), text) }

// A logWriter writes lines outside the answer.
type logWriter struct{ screen *Screen }

func (w logWriter) Write(p []byte) (int, error) {
	w.screen.write(terminal.Clean(string(p)))
	return len(p), nil
}

// Log returns where lines of a log are written.
func (s *Screen) Log() io.Writer { return logWriter{s} }

// Dim writes lines of text that matters less.
func (s *Screen) Dim(text string) {
	s.write(s.paint(dim, terminal.Clean(strings.TrimSuffix(text, "\n"))) + "\n")
}

// paint returns clean text in a style.
func (s *Screen) paint(look style, text string) string {
	if !s.colours || look == plain {
		return text
	}
	return string(look) + text + reset
}

// write writes the program's own text, or clean text, outside the answer.
func (s *Screen) write(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hideStatus()
	s.status.wrote(time.Now())
	if s.midLine && s.shared && s.errFile != nil {
		s.midLine = false
		text = "\n" + text
	}
	fmt.Fprint(s.err, text)
}
