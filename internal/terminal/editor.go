package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"golang.org/x/term"
)

// ErrInterrupted is the error of ReadLine when the user presses Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// An Editor reads lines that the user can edit, with a history.
type Editor struct {
	in      *Input
	out     io.Writer
	lines   *term.Terminal
	keys    *keys
	history history
}

// NewEditor returns an editor that reads keys from in and shows the line on out, the same
// terminal.
func NewEditor(in *Input, out io.Writer) *Editor {
	e := &Editor{in: in, out: out, keys: &keys{in: in}}
	e.begin()
	return e
}

// begin makes a new line editor with an empty line.
func (e *Editor) begin() {
	e.lines = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{e.keys, e.out}, "")
	e.lines.History = &e.history
}

// ReadLine shows the prompt and returns what the user enters: one line, or several that were
// pasted. It returns ErrInterrupted after Ctrl-C, io.EOF after Ctrl-D on an empty line, and the
// cause of ctx when that ends first.
func (e *Editor) ReadLine(ctx context.Context, prompt string) (string, error) {
	state, err := term.MakeRaw(int(e.in.file.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(e.in.file.Fd()), state) }() // fails only if the terminal is lost
	columns, rows := Size(e.in.file)
	if err := e.lines.SetSize(columns, rows); err != nil {
		return "", err
	}
	e.lines.SetPrompt(prompt)
	e.lines.SetBracketedPasteMode(true)
	defer e.lines.SetBracketedPasteMode(false)
	e.keys.ctx, e.keys.interrupted = ctx, false
	var pasted []string
	for {
		line, err := e.lines.ReadLine()
		switch {
		case e.keys.interrupted:
			return "", ErrInterrupted
		case errors.Is(err, term.ErrPasteIndicator):
			pasted = append(pasted, line)
			e.lines.SetPrompt("")
			continue
		case err != nil:
			_, _ = io.WriteString(e.out, "\r\n")
			e.begin()
			return "", err
		}
		return strings.Join(append(pasted, line), "\n"), nil
	}
}

// keys reads what the user types. It replaces Ctrl-C by keys that clear the line and enter it.
type keys struct {
	in          *Input
	ctx         context.Context //nolint:containedctx // of the line that is read: io.Reader has none
	interrupted bool
}

func (k *keys) Read(buf []byte) (int, error) {
	n, err := k.in.read(k.ctx, buf[:min(len(buf), 64)])
	if at := bytes.IndexByte(buf[:n], 3); at >= 0 {
		k.interrupted = true
		const endKillEnter = "\x05\x15\r" // the rest of buf was typed before the user saw the effect of Ctrl-C
		return copy(buf, endKillEnter), nil
	}
	return n, err
}

// A history is the entered lines, the last first, without blank ones and repeats.
type history []string

const historySize = 500

func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || len(*h) > 0 && (*h)[0] == line {
		return
	}
	*h = append(history{line}, (*h)[:min(len(*h), historySize-1)]...)
}

func (h *history) Len() int        { return len(*h) }
func (h *history) At(i int) string { return (*h)[i] }
