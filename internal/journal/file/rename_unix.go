//go:build unix

package file

import "os"

// nameOpen gives the journal, which is open, its name, and returns it.
func (l *lease) nameOpen(f File, from string) (File, error) { return f, os.Rename(from, l.path()) }
