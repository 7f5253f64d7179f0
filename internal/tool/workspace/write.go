package workspace

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/approval"
)

// ErrReadOnly is a file whose owner may not write it.
var ErrReadOnly = errors.New("it is read-only")

// WriteFile makes data the content of the file p: exactly the path that was resolved,
// through no symlink. Missing folders are made. A reader of the file meanwhile sees
// the old content or the new, never a part. An existing file keeps its permission bits,
// a new one gets perm less the umask.
func (w *Workspace) WriteFile(p approval.Path, data []byte, perm fs.FileMode) error {
	return w.replace(p, data, func(old fs.FileInfo) permission {
		if old == nil {
			return permission{bits: perm}
		}
		return permission{bits: old.Mode().Perm(), exact: true}
	})
}

// ReplaceFile is WriteFile that gives the file exactly these permission bits.
func (w *Workspace) ReplaceFile(p approval.Path, data []byte, perm fs.FileMode) error {
	return w.replace(p, data, func(fs.FileInfo) permission { return permission{bits: perm, exact: true} })
}

// A permission is the permission bits of a file that is written.
type permission struct {
	bits  fs.FileMode
	exact bool // the umask does not count
}

// replace writes a file that takes the place of old; nil: of none.
func (w *Workspace) replace(p approval.Path, data []byte, permit func(old fs.FileInfo) permission) error {
	dir, err := w.folder(filepath.Dir(p.Path), true)
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(p.Path)
	old, err := replaceable(dir, name)
	if err != nil {
		return err
	}
	temp := ".parley-" + rand.Text() + ".tmp"
	if err := writeTemp(dir, temp, data, permit(old)); err != nil {
		dir.Remove(temp)
		return err
	}
	if err := dir.Rename(temp, name); err != nil {
		dir.Remove(temp)
		return err
	}
	return nil
}

// PrepareWrite makes the missing folders above p, and fails where WriteFile would: for a file that another program writes.
func (w *Workspace) PrepareWrite(p approval.Path) error {
	dir, err := w.folder(filepath.Dir(p.Path), true)
	if err != nil {
		return err
	}
	defer dir.Close()
	_, err = replaceable(dir, filepath.Base(p.Path))
	return err
}

// Remove deletes the regular file p: exactly the path that was resolved, through no symlink.
func (w *Workspace) Remove(p approval.Path) error {
	dir, err := w.folder(filepath.Dir(p.Path), false)
	if err != nil {
		return err
	}
	defer dir.Close()
	old, err := replaceable(dir, filepath.Base(p.Path))
	switch {
	case err != nil:
		return err
	case old == nil:
		return fs.ErrNotExist
	}
	return dir.Remove(filepath.Base(p.Path))
}

// replaceable looks at the file that a new one will replace; nil if there is none.
func replaceable(dir *os.Root, name string) (fs.FileInfo, error) {
	old, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case old.Mode()&fs.ModeSymlink != 0:
		return nil, ErrSwapped
	case !old.Mode().IsRegular():
		return nil, ErrNotFile
	case old.Mode().Perm()&0o200 == 0:
		return nil, ErrReadOnly
	}
	return old, nil
}

// writeTemp writes a file that did not exist, to the disk. With exact permissions it is private until it is whole.
func writeTemp(dir *os.Root, name string, data []byte, perm permission) error {
	bits := perm.bits
	if perm.exact {
		bits = 0o600
	}
	file, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, bits)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil && perm.exact {
		err = file.Chmod(perm.bits)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
