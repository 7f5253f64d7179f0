package loaf

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/google/renameio/v2"
)

// Settings is what clients chose: it is the same for all sessions, and for the next process.
type Settings struct {
	path string
	log  *slog.Logger

	mu   sync.Mutex
	kept kept
}

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
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &s.kept)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("settings not read", "path", path, "error", err)
		s.kept = kept{}
	}
	return s
}

func (s *Settings) get() kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

// set changes the settings and keeps them. If they cannot be kept, they hold for this process.
func (s *Settings) set(edit func(*kept)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit(&s.kept)
	data, err := json.Marshal(s.kept)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.path), 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(s.path, data, 0o600)
	}
	if err != nil {
		s.log.Warn("settings not kept", "path", s.path, "error", err)
	}
}

// forget is set to nothing.
func (s *Settings) forget() { s.set(func(k *kept) { *k = kept{} }) }

// thinking is the level that was chosen; at first it is high.
func (k kept) thinking() ThinkingLevel {
	if k.Thinking == "" {
		return ThinkingHigh
	}
	return k.Thinking
}

// routing is who runs models of openrouter.
func (k kept) routing() string {
	if k.Routing == "" {
		return "any"
	}
	return k.Routing
}
