package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/spelling"
)

// windowsFor is how long a window counts that an earlier process learned.
const windowsFor = 30 * 24 * time.Hour

// maxWindows bounds how many are kept.
const maxWindows = 200

// windows is what endpoints said of their models' windows, here and in earlier processes.
type windows struct {
	path string // "": nothing is on disk

	mu      sync.Mutex
	read    bool
	stored  map[string]storedWindow // by windowKey
	learned map[string]int          // in this process, of refusals
	noted   map[string]int          // in this process, of lists
}

// storedWindow is a window in the file.
type storedWindow struct {
	Tokens  int       `json:"tokens"` // 0: the list does not say it
	Learned time.Time `json:"learned"`
	Listed  bool      `json:"listed,omitzero"` // the endpoint's list has the model
}

// windowKey names a model of an endpoint without showing the endpoint's address.
func windowKey(e Endpoint, id string) string {
	sum := sha256.Sum256([]byte(e.BaseURL + "\x00" + id))
	return e.Name + " " + hex.EncodeToString(sum[:8])
}

// of returns the window of a model that its endpoint named: in this process, or, where nothing else
// says it, in an earlier one. 0: it named none.
func (w *windows) of(e Endpoint, id string, otherwise bool) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := windowKey(e, id)
	if n := w.learned[key]; n > 0 || !otherwise {
		return n
	}
	w.load()
	if s, ok := w.stored[key]; ok && time.Since(s.Learned) < windowsFor {
		return s.Tokens
	}
	return 0
}

// load reads the file, once. What cannot be read is as good as empty: it is learned again.
func (w *windows) load() {
	if w.read {
		return
	}
	w.read, w.stored = true, map[string]storedWindow{}
	if w.path == "" {
		return
	}
	if data, err := regular.ReadFile(w.path, 16<<20); err == nil && json.Unmarshal(data, &w.stored) != nil {
		w.stored = map[string]storedWindow{}
	}
}

// learn remembers a window. One that cannot be written counts in this process.
func (w *windows) learn(e Endpoint, id string, tokens int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := windowKey(e, id)
	if w.learned[key] == tokens {
		return
	}
	if w.learned == nil {
		w.learned = map[string]int{}
	}
	w.learned[key] = tokens
	w.store(key, storedWindow{Tokens: tokens})
}

// note remembers the window of a model in the list of its endpoint; 0: the list does not say it.
func (w *windows) note(e Endpoint, id string, tokens int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := windowKey(e, id)
	if before, ok := w.noted[key]; ok && before == tokens {
		return
	}
	if w.noted == nil {
		w.noted = map[string]int{}
	}
	w.noted[key] = tokens
	w.load()
	if s := w.stored[key]; !s.Listed || s.Tokens != tokens || time.Since(s.Learned) > windowsFor/2 {
		w.store(key, storedWindow{Tokens: tokens, Listed: true})
	}
}

// listed reports whether the endpoint's list had the model in an earlier process.
func (w *windows) listed(e Endpoint, id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.load()
	s, ok := w.stored[windowKey(e, id)]
	return ok && s.Listed && time.Since(s.Learned) < windowsFor
}

// store writes an entry into the file.
func (w *windows) store(key string, window storedWindow) {
	if w.path == "" {
		return
	}
	w.read = false // another process may have written meanwhile
	w.load()
	for known, s := range w.stored {
		if time.Since(s.Learned) >= windowsFor || len(w.stored) >= maxWindows {
			delete(w.stored, known)
		}
	}
	window.Learned = time.Now().UTC()
	window.Listed = window.Listed || w.stored[key].Listed
	w.stored[key] = window
	data, err := json.Marshal(w.stored, json.Deterministic(true))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(w.path), 0o700)
	}
	if err == nil {
		_ = atomicfile.WriteFile(w.path, data, 0o600)
	}
}

// perMinute is the code of a request that is larger than the limit of tokens per minute. It depends on
// the account, so that it is not remembered as the model's window.
const perMinute = "rate_limit_exceeded"

// learning is a provider whose refusals are read for windows.
type learning struct {
	model.Provider
	windows *windows
	of      Endpoint
}

// Stream requests an answer of the provider; see [model.Provider].
func (l learning) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		for d, err := range l.Provider.Stream(ctx, req) {
			if failed, ok := errors.AsType[*model.Error](err); ok && failed.Kind == model.ContextTooLong && failed.Window > 0 && failed.Code != perMinute {
				l.windows.learn(l.of, req.Model, failed.Window)
			}
			if !yield(d, l.named(req.Model, err)) {
				return
			}
		}
	}
}

// named adds to the error of a model that the endpoint does not have which models it lists.
func (l learning) named(id string, err error) error {
	failed, ok := errors.AsType[*model.Error](err)
	if !ok || failed.Kind != model.ModelNotFound {
		return err
	}
	var listed []string
	for _, info := range l.of.live.list() {
		listed = append(listed, info.ID)
	}
	if len(listed) == 0 || slices.Contains(listed, id) {
		return err
	}
	full := *failed
	if near := spelling.Nearest(id, listed); near != "" {
		full.Message += fmt.Sprintf("; did you mean %s?", near)
	} else {
		full.Message += fmt.Sprintf("; the endpoint lists %s", someOf(listed))
	}
	return &full
}

// learningLister is learning with a list of models.
type learningLister struct {
	learning
	model.Lister
}

// learnFrom returns client with its refusals read for windows.
func (w *windows) learnFrom(client model.Provider, e Endpoint) model.Provider {
	l := learning{client, w, e}
	if lister, ok := client.(model.Lister); ok {
		return learningLister{l, lister}
	}
	return l
}
