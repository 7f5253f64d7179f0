package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"parley.dev/parley/internal/lock"
)

// This file reports changes of files to the client that watches them.

func watchMethods() []handler {
	return []handler{
		on("fs/watch", files(func(c *conn, p *FsWatchParams) (any, error) { return c.watchFile(p) })),
		on("fs/unwatch", files(func(c *conn, p *FsUnwatchParams) (any, error) { return c.unwatchFile(p) })),
	}
}

// watchesMost bounds the watches of a connection: the system has a limit for all programs of the user.
const watchesMost = 1000

// changeDelay is how long changes are collected before the client is notified: one write is several changes.
const changeDelay = 100 * time.Millisecond

// fileWatches are the watches of a connection. They end with it.
type fileWatches struct {
	mu     lock.Mutex
	system *fsnotify.Watcher     // nil until the first watch
	byID   map[string]*fileWatch // by watchId
	used   map[string]int        // watches of each folder
}

// A fileWatch is a file, or a folder with what is directly in it.
type fileWatch struct {
	id     string
	path   string
	folder string // that the system watches: path, or the one that the file is in, since files are replaced
}

// watchFile begins to report the changes of a file, or in a folder (fs/watch). The file need not exist, its folder must.
func (c *conn) watchFile(p *FsWatchParams) (any, error) {
	path, err := c.path("path", p.Path)
	switch {
	case err != nil:
		return nil, err
	case p.WatchID == "":
		return nil, invalid("watchId must not be empty")
	}
	w := &fileWatch{id: p.WatchID, path: path, folder: filepath.Dir(path)}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		w.folder = path
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	started, err := c.watches.add(w)
	if err != nil {
		return nil, err
	}
	if started != nil {
		c.pumping.Go(func() { c.reportChanges(started) })
	}
	return FsWatchResponse{path}, nil
}

// unwatchFile ends a watch (fs/unwatch). One that has ended is none to complain about.
func (c *conn) unwatchFile(p *FsUnwatchParams) (any, error) {
	c.watches.remove(p.WatchID)
	return FsUnwatchResponse{}, nil
}

// add adds a watch. It returns the system's watcher if this is the first one.
func (w *fileWatches) add(watch *fileWatch) (started *fsnotify.Watcher, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.byID[watch.id] != nil:
		return nil, refused("watchId already exists: " + abridged(watch.id))
	case len(w.byID) == watchesMost:
		return nil, refused("a connection has at most 1000 watches")
	}
	if w.system == nil {
		if started, err = fsnotify.NewWatcher(); err != nil {
			return nil, err
		}
		w.system, w.byID, w.used = started, map[string]*fileWatch{}, map[string]int{}
	}
	if err := w.system.Add(watch.folder); err != nil {
		if started != nil {
			w.system = nil
			err = errors.Join(err, started.Close())
		}
		return nil, fmt.Errorf("watch %s: %w", watch.path, err)
	}
	w.used[watch.folder]++
	w.byID[watch.id] = watch
	return started, nil
}

func (w *fileWatches) remove(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	watch := w.byID[id]
	if watch == nil {
		return
	}
	delete(w.byID, id)
	if w.used[watch.folder]--; w.used[watch.folder] == 0 {
		delete(w.used, watch.folder)
		_ = w.system.Remove(watch.folder) // fails if the folder is gone, and the watch with it
	}
}

// close ends all watches.
func (w *fileWatches) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.system == nil {
		return nil
	}
	return w.system.Close()
}

// A changeSet is the paths that have changed, by the watch that they are of.
type changeSet map[*fileWatch]map[string]bool

// note adds a path that has changed to the set of each watch that it is of. Where the system does not know the path, any may have
// changed.
func (w *fileWatches) note(changed changeSet, path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, watch := range w.byID {
		about := path
		switch {
		case path == "", path == watch.folder:
			about = watch.path
		case filepath.Dir(path) != watch.folder, watch.folder != watch.path && path != watch.path:
			continue
		}
		if changed[watch] == nil {
			changed[watch] = map[string]bool{}
		}
		changed[watch][about] = true
	}
}

// notices returns the notifications about changes, but for watches that have ended, sorted.
func (w *fileWatches) notices(changed changeSet) (all []FsChangedNotification) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for watch, paths := range changed {
		if w.byID[watch.id] == watch {
			all = append(all, FsChangedNotification{ChangedPaths: slices.Sorted(maps.Keys(paths)), WatchID: watch.id})
		}
	}
	slices.SortFunc(all, func(a, b FsChangedNotification) int { return strings.Compare(a.WatchID, b.WatchID) })
	return all
}

// reportChanges notifies the client of changes until the system's watcher is closed.
func (c *conn) reportChanges(system *fsnotify.Watcher) {
	changed := changeSet{}
	var due <-chan time.Time
	for {
		path := ""
		select {
		case change, ok := <-system.Events:
			if !ok {
				return
			}
			if change.Op == fsnotify.Chmod {
				continue // some systems report it for reads
			}
			path = change.Name
		case _, ok := <-system.Errors: // changes were lost
			if !ok {
				return
			}
		case <-due:
			for _, n := range c.watches.notices(changed) {
				for _, line := range c.announce("fs/changed", n) {
					c.out.Put(line)
				}
			}
			clear(changed)
			due = nil
			continue
		}
		c.watches.note(changed, path)
		if due == nil && len(changed) > 0 {
			due = time.After(changeDelay)
		}
	}
}
