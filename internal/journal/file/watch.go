package file

import (
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"parley.dev/parley/internal/event"
)

// A watcher reports when journals are written, as far as the system notices. It is started when it
// is first needed. Its users must poll as well: some file systems report nothing, and the number of
// watches is limited.
type watcher struct {
	mu       sync.Mutex // guards the rest
	system   *fsnotify.Watcher
	watched  map[string]bool // by path of the journal
	closed   bool
	listener sync.WaitGroup // of the goroutine that receives changes
}

// add watches the journal at path, and calls changed when it changes. changed must be the same in
// all calls.
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
		w.listener.Go(func() { listen(system, changed) })
	}
	w.watched[path] = w.system.Add(path) == nil
}

// remove stops watching path, if it is still unneeded.
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

// close stops watching and waits for the listener.
func (w *watcher) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.system == nil {
		return nil
	}
	err := w.system.Close()
	w.listener.Wait()
	w.system = nil
	return err
}
