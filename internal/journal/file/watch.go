package file

import (
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"parley.dev/parley/internal/event"
)

// A watcher asks the system to tell when journals are written. It begins when it is first
// needed. Whoever relies on it must poll as well: some file systems tell nothing, and
// watches are scarce.
type watcher struct {
	mu      sync.Mutex // guards the rest
	system  *fsnotify.Watcher
	watched map[string]bool // by path of the journal
	closed  bool
	done    sync.WaitGroup // the goroutine that listens
}

// add watches the journal at path and calls changed, the same each time, at its changes.
func (w *watcher) add(path string, changed func(event.SessionID)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.watched[path] {
		return
	}
	if w.system == nil {
		system, err := fsnotify.NewWatcher()
		if err != nil {
			return
		}
		w.system, w.watched = system, map[string]bool{}
		w.done.Go(func() { listen(system, changed) })
	}
	w.watched[path] = w.system.Add(path) == nil
}

// remove ends the watching of path, if it is still unneeded.
func (w *watcher) remove(path string, unneeded func() bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed && w.watched[path] && unneeded() {
		_ = w.system.Remove(path) // fails if the file is gone, and the watch with it
		delete(w.watched, path)
	}
}

// listen reports changes until the system's watcher is closed.
func listen(system *fsnotify.Watcher, changed func(event.SessionID)) {
	for {
		select {
		case change, ok := <-system.Events:
			if !ok {
				return
			}
			changed(event.SessionID(filepath.Base(filepath.Dir(change.Name))))
		case _, ok := <-system.Errors: // events were lost
			if !ok {
				return
			}
		}
	}
}

// close ends all watching and waits for the listener.
func (w *watcher) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.system == nil {
		return nil
	}
	err := w.system.Close()
	w.done.Wait()
	w.system = nil
	return err
}
