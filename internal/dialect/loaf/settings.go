package loaf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofrs/flock"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/regular"
)

// Settings is what clients chose: it is the same for all sessions, and for the next process.
type Settings struct {
	path string
	log  *slog.Logger

	mu   lock.Mutex
	kept kept
}

const (
	maxSettings = 1 << 20 // bytes of the file

	lockLimit = 2 * time.Second // other processes hold the lock for milliseconds
	lockPause = 5 * time.Millisecond
)

// kept is the form on disk.
type kept struct {
	Model     string        `json:"model,omitzero"` // as the engine calls it
	Thinking  ThinkingLevel `json:"thinking,omitzero"`
	Routing   string        `json:"openrouter_provider,omitzero"`
	Onboarded bool          `json:"onboarding_completed,omitzero"`
}

// ReadSettings reads the file at path; one that is not there, or is damaged, is as good as empty.
func ReadSettings(path string, log *slog.Logger) *Settings {
	s := &Settings{path: path, log: log}
	s.kept = s.read()
	return s
}

func (s *Settings) read() (k kept) {
	data, err := regular.ReadFile(s.path, maxSettings)
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Warn("settings not read", "path", s.path, "error", err)
		return kept{}
	}
	return k
}

func (s *Settings) get() kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

// set changes the settings of this process, and makes the same change in the file: what other
// processes changed there stays. If the file cannot be written, the change holds for this
// process.
func (s *Settings) set(edit func(*kept)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit(&s.kept)
	if err := s.editFile(edit); err != nil {
		s.log.Warn("settings not kept", "path", s.path, "error", err)
	}
}

// editFile changes the file under its lock. A file that is damaged is replaced.
func (s *Settings) editFile(edit func(*kept)) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockLimit)
	defer cancel()
	l := flock.New(s.path+".lock", flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if ok, err := l.TryLockContext(ctx, lockPause); !ok {
		return fmt.Errorf("the settings cannot be locked: %w", err)
	}
	defer func() { _ = l.Close() }() // the file stays: removing it would let two in
	k := s.read()
	edit(&k)
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(s.path, data, 0o600)
}

// forget is set to nothing.
func (s *Settings) forget() { s.set(func(k *kept) { *k = kept{} }) }

// thinking returns the level that was chosen; at first it is high.
func (k kept) thinking() ThinkingLevel {
	if k.Thinking == "" {
		return ThinkingHigh
	}
	return k.Thinking
}

// routing returns the providers of models of openrouter.
func (k kept) routing() string {
	if k.Routing == "" {
		return "any"
	}
	return k.Routing
}
