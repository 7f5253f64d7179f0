package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"parley.dev/parley/internal/approval"
)

// ErrSwapped is a path that is no longer what was approved.
var ErrSwapped = errors.New("it was replaced since it was approved")

// ErrNotFile and ErrNotFolder are paths of the wrong kind.
var (
	ErrNotFile   = errors.New("it is not a regular file")
	ErrNotFolder = errors.New("it is not a folder")
)

// Open opens the regular file p for reading: exactly the path that was resolved, through
// no symlink.
func (w *Workspace) Open(p approval.Path) (*os.File, error) {
	dir, err := w.folder(filepath.Dir(p.Path), false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return OpenFile(dir, filepath.Base(p.Path))
}

// OpenFolder opens the folder p, through no symlink. The caller closes it.
func (w *Workspace) OpenFolder(p approval.Path) (*os.Root, error) {
	return w.OpenDir(p.Path)
}

// OpenDir opens the folder with the real path abs, through no symlink. The caller closes it.
func (w *Workspace) OpenDir(abs string) (*os.Root, error) { return w.folder(abs, false) }

// folder opens the folder with the real path abs step by step, so that a symlink that
// was swapped in on the way is an error. With create it makes the missing ones.
func (w *Workspace) folder(abs string, create bool) (*os.Root, error) {
	from, rel, err := w.anchor(abs)
	if err != nil {
		return nil, err
	}
	return descend(from, rel, create)
}

// anchor opens a folder above the real path abs, and says how abs goes on from there.
// The home folder has its own, because on many machines the folder that all homes lie
// in may not be read.
func (w *Workspace) anchor(abs string) (from *os.Root, rel string, err error) {
	top := filepath.VolumeName(abs) + string(filepath.Separator)
	switch {
	case Below(w.dir, abs):
		top = w.dir
		from, err = w.within(&w.root, w.dir)
	case w.home != "" && Below(w.home, abs):
		top = w.home
		from, err = w.within(&w.homeRoot, w.home)
	default:
		from, err = os.OpenRoot(top)
	}
	if err != nil {
		return nil, "", err
	}
	return from, strings.TrimPrefix(abs, top), nil
}

// descend goes from one folder down to another and closes all but the last.
func descend(from *os.Root, rel string, create bool) (*os.Root, error) {
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if name == "" || name == "." {
			continue
		}
		next, err := EnterFolder(from, name)
		if create && errors.Is(err, fs.ErrNotExist) {
			if err = from.Mkdir(name, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
				next, err = EnterFolder(from, name)
			}
		}
		from.Close()
		if err != nil {
			return nil, err
		}
		from = next
	}
	return from, nil
}

// EnterFolder opens the folder name in dir, but never through a symlink. os.Root follows links
// that stay inside, hence the look before and after.
func EnterFolder(dir *os.Root, name string) (*os.Root, error) {
	want, err := dir.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case want.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s: %w", name, ErrSwapped)
	case !want.IsDir():
		return nil, fmt.Errorf("%s: %w", name, ErrNotFolder)
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	got, err := next.Stat(".")
	if err == nil && !os.SameFile(want, got) {
		err = fmt.Errorf("%s: %w", name, ErrSwapped)
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// OpenFile opens the regular file name in dir for reading, but never through a symlink.
// It does not wait for a pipe that was swapped in.
func OpenFile(dir *os.Root, name string) (*os.File, error) {
	want, err := dir.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case want.Mode()&fs.ModeSymlink != 0:
		return nil, ErrSwapped
	case !want.Mode().IsRegular():
		return nil, ErrNotFile
	}
	file, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	got, err := file.Stat()
	if err == nil && !os.SameFile(want, got) {
		err = ErrSwapped
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
