package file

import (
	"os"

	"parley.dev/parley/internal/atomicfile"
)

// nameOpen gives the journal, which is open, its name, and returns it opened again: an open file cannot be renamed.
func (l *lease) nameOpen(f File, from string) (File, error) {
	if err := f.Close(); err != nil {
		return f, err
	}
	if err := atomicfile.Rename(from, l.path()); err != nil {
		return f, err
	}
	again, err := l.store.opts.OpenFile(l.path(), os.O_RDWR|noFollow, 0)
	if err != nil {
		return f, err
	}
	return again, nil
}
