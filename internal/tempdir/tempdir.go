// Package tempdir gives this process folders for files that it needs while it runs. They lie in the state folder: the machine's folder for
// temporary files can be written by every command that is confined.
package tempdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// A Folder is the folder of this process. It is made for the first folder in it, and locked as long as the process uses it. A nil Folder
// is one in the machine's folder for temporary files. It is safe for use by several goroutines.
type Folder struct {
	path string // absolute, without symlinks

	mu     sync.Mutex
	lock   *flock.Flock // nil: path does not exist yet
	last   int          // number of the last folder in it
	closed bool
}

// Prefix is how the names of the folders of processes begin.
const Prefix = "parley-"

const lockName = "lock"

// New returns the Folder at a path, which is absolute, without symlinks, and used by no other process. Its name begins with Prefix, and the
// folder above it has such folders only. It does not access the disk.
func New(path string) *Folder { return &Folder{path: path} }

// Name returns the path of a new folder, which Make makes.
func (f *Folder) Name(what string) string {
	if f == nil {
		temp, err := filepath.EvalSymlinks(os.TempDir())
		if err != nil {
			temp = os.TempDir()
		}
		return filepath.Join(temp, fmt.Sprintf("%s%s-%d-%d", Prefix, what, os.Getpid(), time.Now().UnixNano()))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	return filepath.Join(f.path, fmt.Sprintf("%s-%d", what, f.last))
}

// Make makes the folder at a path that Name has returned. Only the user can read it. The caller removes it.
func (f *Folder) Make(path string) error {
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if err := f.open(); err != nil {
			return err
		}
	}
	return os.Mkdir(path, 0o700)
}

// MakeNew makes a new folder and returns its path.
func (f *Folder) MakeNew(what string) (path string, err error) {
	path = f.Name(what)
	return path, f.Make(path)
}

// open makes the folder of the process, and removes what killed processes have left.
func (f *Folder) open() error {
	if f.closed {
		return os.ErrClosed
	}
	if f.lock != nil {
		return nil
	}
	parent := filepath.Dir(f.path)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	sweep(parent)
	if err := os.Mkdir(f.path, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(f.path, lockName), flock.SetPermissions(0o600))
	if locked, err := lock.TryLock(); err != nil || !locked {
		return errors.Join(fmt.Errorf("the folder %s of this process is used by another one", f.path), err)
	}
	f.lock = lock
	return nil
}

// Close removes the folder.
func (f *Folder) Close() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.lock == nil {
		return nil
	}
	err := os.RemoveAll(f.path)
	_ = f.lock.Close() // it only releases the lock
	f.lock = nil
	if err != nil { // Windows does not remove open files
		err = os.RemoveAll(f.path)
	}
	return err
}

// minAge is the age from which a folder that is not locked is a leftover: its process locks it right after it has made it.
const minAge = time.Minute

// sweep removes the folders in parent whose processes were killed. What cannot be removed stays for the next one.
func sweep(parent string) {
	entries, _ := os.ReadDir(parent)
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.IsDir() || !strings.HasPrefix(entry.Name(), Prefix) || time.Since(info.ModTime()) < minAge {
			continue
		}
		path := filepath.Join(parent, entry.Name())
		lock := flock.New(filepath.Join(path, lockName), flock.SetPermissions(0o600))
		if locked, err := lock.TryLock(); err != nil || !locked {
			continue
		}
		_ = os.RemoveAll(path)
		_ = lock.Close()
		_ = os.RemoveAll(path)
	}
}
