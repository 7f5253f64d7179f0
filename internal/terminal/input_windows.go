package terminal

import (
	"context"
	"io"
	"os"

	"golang.org/x/sys/windows"
	"golang.org/x/term"
)

// Discard drops input that was typed and not read.
func (in *Input) Discard() error {
	return os.NewSyscallError("FlushConsoleInputBuffer", windows.FlushConsoleInputBuffer(windows.Handle(in.file.Fd())))
}

// read reads the available input, at least one byte. If ctx ends after the user has typed a part of a line, it returns when the
// line is entered: the console does not report whether a key ends the line.
func (in *Input) read(ctx context.Context, buf []byte) (int, error) {
	ended, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateEvent", err)
	}
	defer windows.CloseHandle(ended) //nolint:errcheck // it is open
	set := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(set)
		_ = windows.SetEvent(ended)
	})
	defer func() {
		if !stop() {
			<-set // the event is not closed before
		}
	}()
	_, err = windows.WaitForMultipleObjects([]windows.Handle{windows.Handle(in.file.Fd()), ended}, false, windows.INFINITE)
	if err != nil {
		return 0, os.NewSyscallError("WaitForMultipleObjects", err)
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	file, ok := in.file.(io.Reader)
	if !ok {
		return 0, os.ErrInvalid
	}
	return file.Read(buf)
}

// Size returns the width and height of a terminal, and 80 and 24 if file is not one.
func Size(file File) (columns, rows int) {
	columns, rows, err := term.GetSize(int(file.Fd()))
	if err != nil || columns == 0 || rows == 0 {
		return 80, 24
	}
	return columns, rows
}
