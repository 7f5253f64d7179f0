package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/git"
	"parley.dev/parley/internal/gitroot"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tempdir"
)

// ErrNone is returned where there are no snapshots: the folder is in no repository, or there is no git program.
var ErrNone = errors.New("no snapshots of this folder")

const (
	// firstWait is how long the first snapshot may take, which reads all files, and laterWait how long others may. After
	// one that takes longer there are no more: commands must not wait for it again and again.
	firstWait = 10 * time.Second
	laterWait = 3 * time.Second
)

// A Taker takes the snapshots of a session. It is safe for use by several goroutines; a nil Taker takes none.
type Taker struct {
	spawner *sandbox.Spawner
	temp    *tempdir.Folder

	mu     sync.Mutex
	repos  map[string]*repository // by the folder that commands work in; nil: it has no snapshots
	folder string                 // of the git folders; "": it is not there yet
	closed bool
}

// NewTaker returns a Taker. Its folder lies in temp, which commands must not be able to write: git reads its configuration there. It is made
// for the first snapshot, and removed by Close.
func NewTaker(spawner *sandbox.Spawner, temp *tempdir.Folder) *Taker {
	return &Taker{spawner: spawner, temp: temp, repos: map[string]*repository{}}
}

// runner returns what runs git with an environment.
func (t *Taker) runner(environ []string) git.Runner {
	return git.Runner{Spawner: t.spawner, Environ: environ}
}

// A Snapshot is the state of a folder's files.
type Snapshot struct {
	repo *repository
	tree string // id of the tree object
}

// Take takes a snapshot of the files below dir, an absolute path. environ is the environment of git. ErrNone.
func (t *Taker) Take(ctx context.Context, dir string, environ []string) (Snapshot, error) {
	if t == nil {
		return Snapshot{}, ErrNone
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	repo, known := t.repos[dir]
	wait := laterWait
	if !known {
		wait = firstWait
		var err error
		if repo, err = t.open(dir); err != nil && !errors.Is(err, ErrNone) {
			return Snapshot{}, err
		}
		t.repos[dir] = repo
	}
	if repo == nil || t.closed {
		return Snapshot{}, ErrNone
	}
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	tree, err := repo.write(within, t.runner(environ))
	if err == nil {
		return Snapshot{repo, tree}, nil
	}
	if ctx.Err() == nil { // it is too large, or something is wrong with it
		t.repos[dir] = nil
	}
	return Snapshot{}, fmt.Errorf("take a snapshot of %s: %w", dir, err)
}

// open returns the repository of dir, with a git folder of its own. ErrNone.
func (t *Taker) open(dir string) (*repository, error) {
	top, common := find(dir)
	if top == "" {
		return nil, ErrNone
	}
	if t.folder == "" {
		folder, err := t.temp.MakeNew("snapshots")
		if err != nil {
			return nil, err
		}
		t.folder = folder
	}
	return newRepository(filepath.Join(t.folder, fmt.Sprint(len(t.repos))), top, common, dir)
}

// Close removes the snapshots; none are taken afterwards.
func (t *Taker) Close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.folder == "" {
		return nil
	}
	folder := t.folder
	t.folder = ""
	return os.RemoveAll(folder)
}

// find returns the work tree that contains dir and its git folder, with the objects; "" if there is none.
func find(dir string) (top, common string) {
	for top = dir; ; top = filepath.Dir(top) {
		path := filepath.Join(top, ".git")
		info, err := os.Lstat(path)
		switch {
		case err == nil && info.IsDir() && gitroot.Has(top):
			return top, path
		case err == nil && info.Mode().IsRegular():
			return top, linked(top, path)
		case top == filepath.Dir(top):
			return "", ""
		}
	}
}

// linked returns the git folder of a linked work tree, whose file .git names it; "" if that cannot be read.
func linked(top, path string) string {
	text, err := readLine(path)
	folder, ok := strings.CutPrefix(text, "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	folder = below(top, folder)
	if common, err := readLine(filepath.Join(folder, "commondir")); err == nil {
		return below(folder, common)
	}
	return folder
}

// below returns a path that may be relative to dir.
func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
