package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gofrs/flock"

	"parley.dev/parley/internal/sandbox"
)

// Options are the settings of a Manager.
type Options struct {
	// Root is the folder of the copies; absolute. It is created when it is needed.
	Root string
	// Lock is the file by which processes take turns, for folders of copies that share one; "": it is in Root. With it Root is removed
	// when there are no copies.
	Lock string
	// Spawner starts git.
	Spawner *sandbox.Spawner
	// Environ is git's environment.
	Environ []string
	// Trusts reports whether git may run programs that the repository of a folder configures; nil:
	// never.
	Trusts func(dir string) bool
}

// A Manager makes copies and removes them. It is safe for concurrent use, and several processes
// may have one with the same Root.
type Manager struct {
	root    string
	lock    string
	shared  bool // lock is that of several folders
	spawner *sandbox.Spawner
	environ []string
	trusts  func(dir string) bool
	merging sync.Mutex // one patch at a time is applied
}

// New returns a Manager. It does not access the disk.
func New(o Options) *Manager {
	m := &Manager{root: o.Root, lock: o.Lock, shared: o.Lock != "", spawner: o.Spawner, environ: o.Environ, trusts: o.Trusts}
	if !m.shared {
		m.lock = filepath.Join(o.Root, rootLock)
	}
	return m
}

// File names below Root, and in the slot of each copy.
const (
	rootLock  = ".lock"
	lockName  = "lock"
	notesName = "repositories.json"
	treeName  = "tree"
)

// A slot is the folder of one copy below Root. While it is locked, a process uses it.
type slot struct {
	dir  string
	lock *flock.Flock
}

// exclusive runs do while no other goroutine or process creates or searches slots, or adds
// worktrees to repositories.
func (m *Manager) exclusive(do func() error) error {
	if err := os.MkdirAll(filepath.Dir(m.lock), 0o700); err != nil {
		return err
	}
	turn := flock.New(m.lock)
	if err := turn.Lock(); err != nil {
		return err
	}
	defer func() { _ = turn.Close() }() // it only releases the lock
	if err := os.MkdirAll(m.root, 0o700); err != nil {
		return err
	}
	if m.shared {
		defer func() { _ = os.Remove(m.root) }() // which fails while there are copies
	}
	return do()
}

// newSlot creates a slot whose name begins with name, and locks it.
func (m *Manager) newSlot(name string) (slot, error) {
	return m.makeSlot(func() (string, error) { return os.MkdirTemp(m.root, name+"-*") })
}

// namedSlot is newSlot for a name that no other slot has, unless it is used all the same.
func (m *Manager) namedSlot(name string) (slot, error) {
	return m.makeSlot(func() (string, error) {
		dir := filepath.Join(m.root, name)
		if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
		return os.MkdirTemp(m.root, name+"-*")
	})
}

// makeSlot makes a folder by mkdir and locks it. The lock file has the process id.
func (m *Manager) makeSlot(mkdir func() (string, error)) (p slot, err error) {
	err = m.exclusive(func() error {
		dir, err := mkdir()
		if err != nil {
			return err
		}
		p = slot{dir: dir, lock: flock.New(filepath.Join(dir, lockName))}
		if _, err := p.lock.TryLock(); err != nil {
			return err
		}
		return os.WriteFile(p.lock.Path(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600)
	})
	if err != nil {
		return slot{}, fmt.Errorf("make a place for an isolated copy: %w", err)
	}
	return p, nil
}

// Sweep removes the copies of processes that have ended, and returns their number.
func (m *Manager) Sweep(ctx context.Context) (removed int, err error) {
	if _, err := os.Stat(m.root); os.IsNotExist(err) {
		return 0, nil
	}
	left, err := m.leftovers()
	errs := []error{err}
	for _, p := range left {
		if ctx.Err() != nil {
			_ = p.lock.Close()
			continue
		}
		if err := m.remove(p); err != nil {
			errs = append(errs, fmt.Errorf("remove the leftover %s: %w", p.dir, err))
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}

// leftovers returns the slots that no process uses. It locks them for the caller.
func (m *Manager) leftovers() (left []slot, err error) {
	err = m.exclusive(func() error {
		entries, err := os.ReadDir(m.root)
		for _, entry := range entries {
			if !entry.IsDir() {
				continue
			}
			p := slot{dir: filepath.Join(m.root, entry.Name())}
			p.lock = flock.New(filepath.Join(p.dir, lockName))
			if taken, lockErr := p.lock.TryLock(); lockErr == nil && taken {
				left = append(left, p)
			}
		}
		return err
	})
	return left, err
}

// remove removes a slot, and the entries that repositories have of it.
func (m *Manager) remove(p slot) error {
	defer func() { _ = p.lock.Close() }()
	err := m.exclusive(func() error {
		var errs []error
		for _, n := range p.notes() {
			errs = append(errs, n.forget())
		}
		return errors.Join(errs...)
	})
	err = errors.Join(err, removeAll(p.dir))
	if m.shared {
		err = errors.Join(err, m.exclusive(func() error { return nil })) // which removes an empty Root
	}
	return err
}

// removeAll is os.RemoveAll that also removes the content of read-only folders.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700) // what cannot be changed fails below
		}
		return nil
	})
	return os.RemoveAll(dir)
}
