package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"parley.dev/parley/internal/atomicfile"
)

// WriteFile writes a file that only its owner reads, as a whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("write %s: it is a folder; name a file in it", path)
	}
	out, err := atomicfile.Create(path, 0o600)
	if err != nil {
		if detail, ok := errors.AsType[*fs.PathError](err); ok {
			err = detail.Err // the path is that of a temporary file
		}
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer out.Cleanup() //nolint:errcheck // what was replaced has nothing to clean
	w := bufio.NewWriter(out)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return out.CloseAtomicallyReplace()
}
