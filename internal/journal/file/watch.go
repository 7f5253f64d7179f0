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
	only string // name of the files whose changes are reported; "": all

	mu       sync.Mutex // guards the rest
	system   *fsnotify.Watcher
	watched  map[string]bool // by path of the journal, or of its folder
	closed   bool
	listener sync.WaitGroup // of the goroutine that receives changes
}

// add watches the journal at path, or its folder, and calls changed when it changes. It reports whether
// the system watches it. changed must be the same in all calls.
func (w *watcher) add(path string, changed func(event.SessionID)) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.watched[path] {
		return w.watched[path]
	}
	if w.system == nil {
		system, err := fsnotify.NewWatcher()
		if err != nil {
			return false
		}
		w.system, w.watched = system, map[string]bool{}
		w.listener.Go(func() { listen(system, w.only, changed) })
	}
	w.watched[path] = w.system.Add(path) == nil
	return w.watched[path]
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

// listen reports changes, of files of that name unless it is "", until the system's watcher is closed.
func listen(system *fsnotify.Watcher, only string, changed func(event.SessionID)) {
	for {
		select {
		case change, ok := <-system.Events:
			if !ok {
				return
			}
			if only == "" || filepath.Base(change.Name) == only {
				changed(event.SessionID(filepath.Base(filepath.Dir(change.Name))))
			}
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
