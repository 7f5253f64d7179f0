// Package atomicfile replaces a file as a whole: a reader sees the old content or the new, and after a crash one of them is there. It does
// not lock: two writers at the same time each write the whole file, and one of them is the last.
//
// On Unix it is the library renameio, which does not support Windows.
package atomicfile

import (
	"io/fs"
)

// WriteFile makes data the content of the file at path, with exactly these permission bits; Windows ignores them. A symbolic link at path is
// replaced, not followed.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	f, err := Create(path, perm)
	if err != nil {
		return err
	}
	defer f.Cleanup() //nolint:errcheck // what was replaced has nothing to clean
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
