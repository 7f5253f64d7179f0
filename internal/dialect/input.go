package dialect

import (
	"errors"
	"io"
	"log/slog"
	"runtime/debug"

	"parley.dev/parley/internal/wire"
)

// An Input is the lines of a client, and what is done with them.
type Input struct {
	From  io.Reader
	Limit int // bytes of a line
	Log   *slog.Logger
	// Handle does what a line asks for, and never waits for a turn. Not more: the line was the
	// last, or came too late.
	Handle func(line []byte) (more bool)
	// TooLong answers a line over the limit, given its beginning.
	TooLong func(beginning []byte)
	// Panicked reports a defect to the client; nil: the protocol has no message for it.
	Panicked func(p any)
}

// Read handles one line after the other, and gives the exit code: ExitOK after the last, for
// an input that cannot be read has ended, and ExitInternal if Handle panics. When the process
// stops for another reason Read may still stand in a read: it ends with the input.
func (in Input) Read() (code int) {
	defer func() {
		if p := recover(); p != nil {
			in.Log.Error("internal error", "panic", p, "stack", string(debug.Stack()))
			if in.Panicked != nil {
				in.Panicked(p)
			}
			code = ExitInternal
		}
	}()
	r := wire.NewReader(in.From, in.Limit)
	for {
		line, err := r.Next()
		switch {
		case errors.Is(err, wire.ErrLineTooLong):
			in.TooLong(line)
		case err != nil, !in.Handle(line):
			return ExitOK
		}
	}
}
