package tool

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

// errSwapped is a path that is no longer what was approved.
var errSwapped = errors.New("it was replaced since it was approved")

// errNotFile and errNotFolder are paths of the wrong kind.
var (
	errNotFile   = errors.New("it is not a regular file")
	errNotFolder = errors.New("it is not a folder")
)

// Open opens the regular file p for reading: exactly the path that was resolved, through
// no symlink.
func (w *Workspace) Open(p approval.Path) (*os.File, error) {
	dir, err := w.folder(filepath.Dir(p.Path), false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return openFile(dir, filepath.Base(p.Path))
}

// OpenFolder opens the folder p, through no symlink. The caller closes it.
func (w *Workspace) OpenFolder(p approval.Path) (*os.Root, error) {
	return w.folder(p.Path, false)
}

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
	case below(w.dir, abs):
		top = w.dir
		from, err = w.within(&w.root, w.dir)
	case w.home != "" && below(w.home, abs):
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
		next, err := enter(from, name)
		if create && errors.Is(err, fs.ErrNotExist) {
			if err = from.Mkdir(name, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
				next, err = enter(from, name)
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

// enter opens the folder name in dir, but never through a symlink. os.Root follows links
// that stay inside, hence the look before and after.
func enter(dir *os.Root, name string) (*os.Root, error) {
	want, err := dir.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case want.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s: %w", name, errSwapped)
	case !want.IsDir():
		return nil, fmt.Errorf("%s: %w", name, errNotFolder)
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	got, err := next.Stat(".")
	if err == nil && !os.SameFile(want, got) {
		err = fmt.Errorf("%s: %w", name, errSwapped)
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// openFile opens the regular file name in dir for reading, but never through a symlink.
// It does not wait for a pipe that was swapped in.
func openFile(dir *os.Root, name string) (*os.File, error) {
	want, err := dir.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case want.Mode()&fs.ModeSymlink != 0:
		return nil, errSwapped
	case !want.Mode().IsRegular():
		return nil, errNotFile
	}
	file, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	got, err := file.Stat()
	if err == nil && !os.SameFile(want, got) {
		err = errSwapped
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
