package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"parley.dev/parley/internal/atomicfile"
)

// WriteFile writes a file that only its owner reads, as a whole or not at all. To a device or a pipe, such as /dev/stdout, it
// writes what comes.
func WriteFile(path string, write func(io.Writer) error) error {
	switch info, err := os.Stat(path); {
	case err != nil:
	case info.IsDir():
		return fmt.Errorf("write %s: it is a folder; name a file in it", path)
	case !info.Mode().IsRegular():
		return writeSpecial(path, write)
	}
	out, err := atomicfile.Create(path, 0o600)
	if err != nil {
		if detail, ok := errors.AsType[*fs.PathError](err); ok {
			err = detail.Err // the path is that of a temporary file
		}
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer out.Cleanup() //nolint:errcheck // what was replaced has nothing to clean
	if err := writeBuffered(out, path, write); err != nil {
		return err
	}
	return out.CloseAtomicallyReplace()
}

// writeSpecial writes to what is there already and is no regular file. A pipe without a reader is an error.
func writeSpecial(path string, write func(io.Writer) error) error {
	out, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return errors.Join(writeBuffered(out, path, write), out.Close())
}

func writeBuffered(out io.Writer, path string, write func(io.Writer) error) error {
	w := bufio.NewWriter(out)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
