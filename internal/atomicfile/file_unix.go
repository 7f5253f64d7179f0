//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A File is a temporary file that is written, and takes the place of another in CloseAtomicallyReplace.
type File struct{ *renameio.PendingFile }

// Create creates the temporary file for path, in its folder. The caller must call Cleanup or CloseAtomicallyReplace, and may call both.
func Create(path string, perm fs.FileMode) (*File, error) {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(perm), renameio.IgnoreUmask())
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Rename gives the file from the name to, and replaces a file that has it.
func Rename(from, to string) error { return os.Rename(from, to) }

// SyncFolder waits until the entries of a folder are on disk, so that a name that a file was given outlives a power failure.
func SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
