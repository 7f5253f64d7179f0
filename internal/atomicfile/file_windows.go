package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// A File is a temporary file that is written, and takes the place of another in CloseAtomicallyReplace.
type File struct {
	*os.File
	path string
	done bool
}

// Create creates the temporary file for path, in its folder. The caller must call Cleanup or CloseAtomicallyReplace, and may call both.
func Create(path string, _ fs.FileMode) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return nil, err
	}
	return &File{File: f, path: path}, nil
}

// Cleanup removes the temporary file unless it has taken the place of the other.
func (f *File) Cleanup() error {
	if f.done {
		return nil
	}
	f.done = true
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// CloseAtomicallyReplace writes the temporary file to the disk, closes it and gives it its path.
func (f *File) CloseAtomicallyReplace() error {
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.done = true
	return nil
}

// renameTimeout is the time to wait for other programs, such as virus scanners, that have the file open.
const renameTimeout = 2 * time.Second

// Rename gives the file from the name to, and replaces a file that has it. Windows refuses that while a program has opened one of
// them without the permission to delete it, as most programs do that read a file; they are finished soon.
func Rename(from, to string) error {
	deadline := time.Now().Add(renameTimeout)
	for pause := time.Millisecond; ; pause *= 2 {
		err := os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

// SyncFolder returns nil: Windows cannot be requested to write the entries of a folder. Its file systems log them.
func SyncFolder(string) error { return nil }
