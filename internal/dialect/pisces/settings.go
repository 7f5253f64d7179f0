package pisces

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/regular"
)

// Settings is what holds for every session of the process. Each file that is there counts
// over those before it: omp.jsonc and config.yml in the agent's folder, what clients chose, which
// is kept in a file of our own, and omp.jsonc and settings.json of the project. A file may nest its
// names or dot them: {"retry": {"enabled": false}} is {"retry.enabled": false}.
type Settings struct {
	path string // of what clients chose; "": it is not kept
	log  *slog.Logger
	bad  error // limits that cannot hold

	mu      lock.Mutex
	warned  map[string]bool // settings of another type that the log has
	agent   map[string]any
	chosen  map[string]any
	project map[string]any
}

// The names of settings that clients can choose.
const (
	settingSteering  = "steeringMode"
	settingFollowUps = "followUpMode"
	settingInterrupt = "interruptMode"
	settingCompact   = "compaction.enabled"
	settingRetry     = "retry.enabled"
	settingThinking  = "defaultThinkingLevel"
)

// SettingsFiles is where settings are.
type SettingsFiles struct {
	Agent   string // folder of the agent, with config.yml and omp.jsonc, which may also lie in the one above; "": none
	Project string // folder in the project, with settings.json and omp.jsonc, which may also lie in the project or its .omp; "": none
	Chosen  string // file of what clients chose; "": it is not kept
}

// ReadSettings reads the files. One that cannot be read is reported in log, and counts as empty.
func ReadSettings(files SettingsFiles, log *slog.Logger) *Settings {
	s := &Settings{path: files.Chosen, log: log, warned: map[string]bool{}}
	s.agent, s.project = map[string]any{}, map[string]any{}
	if files.Agent != "" {
		if above := filepath.Dir(files.Agent); filepath.Base(files.Agent) == "agent" { // as in ~/.pisces/agent
			maps.Copy(s.agent, s.read(filepath.Join(above, configFile), unmarshalJSONC))
		}
		maps.Copy(s.agent, s.read(filepath.Join(files.Agent, configFile), unmarshalJSONC))
		maps.Copy(s.agent, s.read(filepath.Join(files.Agent, "config.yml"), yaml.Unmarshal))
	}
	if files.Project != "" {
		own := filepath.Base(files.Project)
		for _, name := range []string{configFile, filepath.Join(".omp", configFile), filepath.Join(own, configFile), filepath.Join(own, "settings.json")} {
			folder := filepath.Dir(files.Project)
			maps.Copy(s.project, s.take(filepath.Join(folder, name), unmarshalJSONC, func() ([]byte, error) { return dialect.ReadProject(folder, name) }))
		}
	}
	s.chosen = s.read(files.Chosen, unmarshalJSONC)
	return s
}

// configFile is the name of the profile configuration in the protocol's document.
const configFile = "omp.jsonc"

// Check returns the limits of budgets that cannot hold, each with its file; nil: there are none.
func (s *Settings) Check() error { return s.bad }

func unmarshalJSONC(data []byte, v any) error {
	plain, err := hujson.Standardize(data)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, v)
}

// maxSettings is how long a file of settings may be, in bytes.
const maxSettings = 1 << 20

func (s *Settings) read(path string, unmarshal func([]byte, any) error) map[string]any {
	return s.take(path, unmarshal, func() ([]byte, error) { return regular.ReadFile(path, maxSettings) })
}

// take returns the settings of a file, or of one in a folder; "": there is none.
func (s *Settings) take(path string, unmarshal func([]byte, any) error, read func() ([]byte, error)) map[string]any {
	flat := map[string]any{}
	if path == "" {
		return flat
	}
	data, err := read()
	if errors.Is(err, fs.ErrNotExist) {
		return flat
	}
	var nested map[string]any
	if err == nil {
		err = unmarshal(data, &nested)
	}
	if err != nil {
		s.log.Warn("settings not read", "path", path, "error", err)
		return flat
	}
	flatten(flat, "", nested)
	if err := checkLimits(flat); err != nil {
		s.bad = errors.Join(s.bad, fmt.Errorf("%s: %w", path, err))
	}
	return flat
}

func flatten(flat map[string]any, prefix string, nested map[string]any) {
	for name, value := range nested {
		if inner, ok := value.(map[string]any); ok {
			flatten(flat, prefix+name+".", inner)
			continue
		}
		flat[prefix+name] = value
	}
}

// setting returns the value of a name that has the type of standard, else standard.
func setting[T any](s *Settings, name string, standard T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, values := range []map[string]any{s.project, s.chosen, s.agent} {
		v, ok := values[name].(T)
		if ok {
			return v
		}
		if given := values[name]; given != nil {
			s.warn(name, given)
		}
	}
	return standard
}

// warn reports a setting of another type, once. The caller holds the lock.
func (s *Settings) warn(name string, value any) {
	if !s.warned[name] {
		s.warned[name] = true
		s.log.Warn("setting ignored: it has another type", "name", name, "value", value)
	}
}

// number returns a setting that is a number of at least least, however its file writes numbers.
func (s *Settings) number(name string, least, standard float64) float64 {
	n := standard
	switch value := setting[any](s, name, nil).(type) {
	case float64:
		n = value
	case int:
		n = float64(value)
	case nil:
	default:
		s.mu.Lock()
		s.warn(name, value)
		s.mu.Unlock()
	}
	if n < least {
		s.log.Warn("setting too small", "name", name, "value", n)
		return standard
	}
	return n
}

// oneOf returns a setting that is one of words, else the first of them.
func (s *Settings) oneOf(name string, words ...string) string {
	word := strings.ToLower(setting(s, name, words[0]))
	for _, w := range words {
		if w == word {
			return w
		}
	}
	s.log.Warn("setting not known", "name", name, "value", word)
	return words[0]
}

// queueMode returns how many messages of a queue are taken at once, by the name of its setting.
func (s *Settings) queueMode(name string) QueueMode {
	return QueueMode(s.oneOf(name, string(QueueOne), string(QueueAll)))
}

// interruptMode returns when a steer is heard.
func (s *Settings) interruptMode() InterruptMode {
	return InterruptMode(s.oneOf(settingInterrupt, string(InterruptImmediate), string(InterruptWait)))
}

// choose sets a value for this process, whatever the files say, and keeps it for the next.
func (s *Settings) choose(name string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.project, name)
	s.chosen[name] = value
	if s.path == "" {
		return
	}
	if err := s.keep(); err != nil {
		s.log.Warn("settings not kept", "path", s.path, "error", err)
	}
}

func (s *Settings) keep() error {
	data, err := json.Marshal(maps.Clone(s.chosen), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFile(s.path, data, 0o600)
}

// Extensions returns the paths of extensions that the settings name: own are the user's, and of the
// project are those that its settings.json names.
func (s *Settings) Extensions() (own, ofProject []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return extensionsIn(s.agent), extensionsIn(s.project)
}

func extensionsIn(layer map[string]any) (paths []string) {
	list, _ := layer["extensions"].([]any)
	for _, one := range list {
		if path, isText := one.(string); isText {
			paths = append(paths, path)
		}
	}
	return paths
}
