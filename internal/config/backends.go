package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend/kind"
)

// BackendSettings is an agent of another program that runs turns in place of our own loop; docs/backends.md.
type BackendSettings struct {
	Command    []string          `json:"command,omitzero"`     // default: that of its kind. A program on PATH, or its absolute path, and its arguments
	Env        map[string]string `json:"env,omitzero"`         // of the program; no secrets
	PassEnv    []string          `json:"pass_env,omitzero"`    // names of variables that it gets besides the usual ones, such as keys
	Model      string            `json:"model,omitzero"`       // of new sessions, as the agent names it; default: the agent's own
	Mode       string            `json:"mode,omitzero"`        // the agent's own mode; default: the one in which it asks
	Config     BackendConfig     `json:"config,omitzero"`      // settings of the agent, by its own names
	Approvals  string            `json:"approvals,omitzero"`   // ask or agent; default: ask
	Confine    kind.Confine      `json:"confine,omitzero"`     // what confines its process; default: that of its kind
	State      []string          `json:"state,omitzero"`       // its own folders, which it may write
	StartLimit string            `json:"start_limit,omitzero"` // until it can be used: "30s"
	Silence    string            `json:"silence,omitzero"`     // how long it may say nothing in a turn: "10m"
	Idle       string            `json:"idle,omitzero"`        // without a turn before its process is stopped: "5m"
	Most       int               `json:"most,omitzero"`        // processes of it at a time; 0: 16
}

// BackendConfig is settings of an agent by its own names: strings, numbers, booleans, and lists of them.
type BackendConfig map[string]jsontext.Value

// The values of BackendSettings.Approvals.
const (
	ApprovalsAsk   = "ask"   // the agent has to ask about everything, and the session decides
	ApprovalsAgent = "agent" // the agent's own rules count first
)

// checkBackends checks the back ends, and that the default is one of them.
func (c *Config) checkBackends() []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(c.Backends)) {
		setting := "backends." + name
		k, ok := kind.Of(name)
		if !ok {
			errs = append(errs, invalid(setting, kind.ErrName))
			continue
		}
		if _, same := c.Providers[name]; same {
			errs = append(errs, invalid(setting, errors.New("a provider has the same name: models of both would be named alike")))
			continue
		}
		errs = append(errs, invalid(setting, c.Backends[name].check(k)))
	}
	if c.Backend != "" {
		_, err := c.FindBackend(c.Backend)
		errs = append(errs, invalid("backend", err))
	}
	return errs
}

func (b BackendSettings) check(k kind.Kind) error {
	if b.Command == nil {
		b.Command = k.Command
	}
	if len(b.Command) == 0 || b.Command[0] == "" {
		return errors.New("command is missing")
	}
	if strings.ContainsRune(b.Command[0], filepath.Separator) && !filepath.IsAbs(b.Command[0]) {
		return fmt.Errorf("command: %q is neither a name to be found on PATH nor an absolute path", b.Command[0])
	}
	if b.Confine != "" && !slices.Contains(kind.Confines, b.Confine) {
		return fmt.Errorf("confine: unknown value %q: expected inner, outer, outer! or none", b.Confine)
	}
	if b.Approvals != "" && b.Approvals != ApprovalsAsk && b.Approvals != ApprovalsAgent {
		return fmt.Errorf("approvals: unknown value %q: expected ask or agent", b.Approvals)
	}
	if strings.ContainsAny(b.Model, " \t\n") {
		return fmt.Errorf("model: %q has blanks: expected the id of a model as the agent names it", b.Model)
	}
	for _, name := range b.PassEnv {
		if name == "" || strings.ContainsAny(name, "= \t\n") {
			return fmt.Errorf("pass_env: %q is not the name of a variable", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Config)) {
		if k := b.Config[name].Kind(); name == "" || k == 'n' || k == '{' {
			return fmt.Errorf("config: %q is not a string, number, boolean or list", name)
		}
	}
	for _, limit := range []struct{ name, text string }{{"start_limit", b.StartLimit}, {"silence", b.Silence}, {"idle", b.Idle}} {
		if _, err := limitOf(limit.text); err != nil {
			return fmt.Errorf("%s: %w", limit.name, err)
		}
	}
	if b.Most < 0 {
		return fmt.Errorf("most: %d is below zero", b.Most)
	}
	return checkFolders("state", b.State)
}

// limitOf returns a time; 0: it is not set.
func limitOf(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, fmt.Errorf("cannot read %q: expected a time such as 30s", text)
	}
	return limit, nil
}

// Limits returns StartLimit and Silence, which were checked; 0: it is not set.
func (b BackendSettings) Limits() (start, silence time.Duration) {
	start, _ = limitOf(b.StartLimit)
	silence, _ = limitOf(b.Silence)
	return start, silence
}

// IdleLimit returns Idle, which was checked; 0: it is not set.
func (b BackendSettings) IdleLimit() time.Duration {
	limit, _ := limitOf(b.Idle)
	return limit
}

// Texts returns the values of the configuration that are strings as they are, and others as JSON.
func (c BackendConfig) Texts() map[string]string {
	texts := map[string]string{}
	for name, value := range c {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		texts[name] = text
	}
	return texts
}

// FindBackend returns the back end of that name, with the defaults of its kind. One that is named like its kind need not be
// configured.
func (s *Settings) FindBackend(name string) (BackendSettings, error) {
	b, configured := s.Backends[name]
	k, ok := kind.Of(name)
	_, provider := s.Providers[name]
	if !ok || !configured && (name != k.Name || provider) {
		return b, fmt.Errorf("back end %q is not configured; known: %s", name, strings.Join(s.BackendNames(), ", "))
	}
	if b.Command == nil {
		b.Command = k.Command
	}
	if b.Confine == "" {
		b.Confine = k.Confine
	}
	return b, nil
}

// BackendNames returns the names of the back ends that FindBackend finds, sorted.
func (s *Settings) BackendNames() []string {
	names := slices.Collect(maps.Keys(s.Backends))
	for _, k := range kind.All {
		if k.Command != nil && !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	slices.Sort(names)
	return names
}
