//go:build unix

package terminal

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Discard drops input that was typed and not read.
func (in *Input) Discard() error {
	err := flushInput(int(in.file.Fd()))
	if err != nil {
		return os.NewSyscallError("discard input", err)
	}
	return nil
}

// read reads the available input, at least one byte.
func (in *Input) read(ctx context.Context, buf []byte) (int, error) {
	ended, end, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer ended.Close()
	stop := context.AfterFunc(ctx, func() { end.Close() })
	defer func() {
		if stop() {
			end.Close()
		}
	}()
	for {
		if err := waitReadable(int(in.file.Fd()), int(ended.Fd())); err != nil {
			return 0, err
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		n, err := unix.Read(int(in.file.Fd()), buf)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		case errors.Is(err, unix.EIO), n == 0 && err == nil:
			return 0, io.EOF
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		default:
			return n, nil
		}
	}
}

// waitReadable returns when one of two descriptors can be read. It uses select, since poll does
// not support terminals on some systems.
func waitReadable(a, b int) error {
	if max(a, b) >= unix.FD_SETSIZE {
		return errors.New("wait for input: too many open files")
	}
	for {
		var set unix.FdSet
		set.Set(a)
		set.Set(b)
		_, err := unix.Select(max(a, b)+1, &set, nil, nil, nil)
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("select", err)
		}
	}
}

// Size returns the width and height of a terminal, and 80 and 24 if file is not one.
func Size(file File) (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 80, 24
	}
	return int(size.Col), int(size.Row)
}
