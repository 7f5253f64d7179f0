package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gofrs/flock"

	"parley.dev/parley/internal/sandbox"
)

// Options is what a Keeper works with.
type Options struct {
	// Root is the folder for the copies; absolute. It is made when it is needed.
	Root string
	// Spawner starts git.
	Spawner *sandbox.Spawner
	// Environ is git's environment.
	Environ []string
	// Trusts says whether a folder may have programs run that its repository names; nil: none may.
	Trusts func(dir string) bool
}

// A Keeper makes copies and answers for their end. It is safe for use by several goroutines,
// and several processes may have one on the same Root.
type Keeper struct {
	root    string
	spawner *sandbox.Spawner
	environ []string
	trusts  func(dir string) bool
	merging sync.Mutex // one patch at a time reaches a folder
}

// New is a Keeper; it touches no disk.
func New(o Options) *Keeper {
	return &Keeper{root: o.Root, spawner: o.Spawner, environ: plainEnviron(o.Environ), trusts: o.Trusts}
}

// Names below Root, and within each copy's place there.
const (
	gateName  = ".lock"
	lockName  = "lock"
	notesName = "repositories.json"
	treeName  = "tree"
)

// A place is the folder of one copy. While its lock is held, somebody answers for it.
type place struct {
	dir  string
	lock *flock.Flock
}

// pass runs do while nobody else makes or looks for places, in any process, or tells
// repositories of worktrees.
func (k *Keeper) pass(do func() error) error {
	if err := os.MkdirAll(k.root, 0o700); err != nil {
		return err
	}
	gate := flock.New(filepath.Join(k.root, gateName))
	if err := gate.Lock(); err != nil {
		return err
	}
	defer func() { _ = gate.Close() }() // it only gives the lock back
	return do()
}

// newPlace makes a place and takes its lock, which tells whose it is.
func (k *Keeper) newPlace(name string) (p place, err error) {
	err = k.pass(func() error {
		dir, err := os.MkdirTemp(k.root, name+"-*")
		if err != nil {
			return err
		}
		p = place{dir: dir, lock: flock.New(filepath.Join(dir, lockName))}
		if _, err := p.lock.TryLock(); err != nil {
			return err
		}
		return os.WriteFile(p.lock.Path(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600)
	})
	if err != nil {
		return place{}, fmt.Errorf("make a place for an isolated copy: %w", err)
	}
	return p, nil
}

// Sweep removes the copies of processes that are gone, and says how many there were.
func (k *Keeper) Sweep(ctx context.Context) (removed int, err error) {
	if _, err := os.Stat(k.root); os.IsNotExist(err) {
		return 0, nil
	}
	left, err := k.leftovers()
	errs := []error{err}
	for _, p := range left {
		if ctx.Err() != nil {
			_ = p.lock.Close()
			continue
		}
		if err := k.remove(p); err != nil {
			errs = append(errs, fmt.Errorf("remove the leftover %s: %w", p.dir, err))
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}

// leftovers is the places that nobody answers for; now the caller does.
func (k *Keeper) leftovers() (left []place, err error) {
	err = k.pass(func() error {
		entries, err := os.ReadDir(k.root)
		for _, entry := range entries {
			if !entry.IsDir() {
				continue
			}
			p := place{dir: filepath.Join(k.root, entry.Name())}
			p.lock = flock.New(filepath.Join(p.dir, lockName))
			if taken, lockErr := p.lock.TryLock(); lockErr == nil && taken {
				left = append(left, p)
			}
		}
		return err
	})
	return left, err
}

// remove takes a place away, and what repositories know of it.
func (k *Keeper) remove(p place) error {
	defer func() { _ = p.lock.Close() }()
	err := k.pass(func() error {
		var errs []error
		for _, n := range p.notes() {
			errs = append(errs, n.forget())
		}
		return errors.Join(errs...)
	})
	return errors.Join(err, removeAll(p.dir))
}

// removeAll also removes what is below folders that may not be written.
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
