package terminal

import (
	"context"
	"strings"
)

// An Input reads lines that the user types. It does not read ahead: input that is typed before
// ReadLine stays in the buffer of the system, which Discard empties.
type Input struct{ file File }

// NewInput returns an Input from a terminal.
func NewInput(file File) *Input { return &Input{file} }

// ReadLine returns the next line without its end. It returns io.EOF when the user ends the input
// (Ctrl-D on an empty line) or the terminal is lost, and the cause of ctx when that ends first.
func (in *Input) ReadLine(ctx context.Context) (string, error) {
	var line []byte
	for buf := make([]byte, 4096); ; {
		n, err := in.read(ctx, buf)
		if err != nil {
			return "", err
		}
		line = append(line, buf[:n]...)
		if text, ok := strings.CutSuffix(string(line), "\n"); ok {
			return strings.TrimSuffix(text, "\r"), nil // Windows ends lines by both
		}
	}
}
