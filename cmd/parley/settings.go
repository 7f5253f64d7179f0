package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/sandbox"
)

// Settings is the configuration file: JSON with comments, docs/config.md. Environment
// variables win over it, flags win over both.
type Settings struct {
	Home           string                      `json:"home,omitzero"`            // state folder
	Model          string                      `json:"model,omitzero"`           // provider/model-id
	PermissionMode approval.Mode               `json:"permission_mode,omitzero"` // of parley run
	Log            string                      `json:"log,omitzero"`             // error, warn, info or debug
	PrivateNetwork bool                        `json:"private_network,omitzero"` // fetch may reach private addresses
	OpenAIAPI      string                      `json:"openai_api,omitzero"`      // responses or chat
	OfflineScript  string                      `json:"offline_script,omitzero"`  // what offline/script plays
	Sandbox        string                      `json:"sandbox,omitzero"`         // how commands are confined: auto, landlock, bubblewrap or off
	Providers      map[string]ProviderSettings `json:"providers,omitzero"`
	MCPServers     map[string]MCPServer        `json:"mcp_servers,omitzero"`
	Search         SearchSettings              `json:"search,omitzero"`
	Budget         BudgetSettings              `json:"budget,omitzero"`
	Subagents      *SubagentSettings           `json:"subagents,omitzero"` // nil: only where a dialect has its own
	SignIn         SignInSettings              `json:"signin,omitzero"`
	Hooks          HookSettings                `json:"hooks,omitzero"`
	TrustedFolders []string                    `json:"trusted_folders,omitzero"` // what they hold may start programs
	SecretsInFile  bool                        `json:"secrets_in_file,omitzero"` // keep them there even where there is a keyring
}

// SearchSettings is the service that answers web searches; without an API there is none.
type SearchSettings struct {
	API       string `json:"api,omitzero"`         // brave, tavily or searxng
	BaseURL   string `json:"base_url,omitzero"`    // searxng has no other
	APIKeyEnv string `json:"api_key_env,omitzero"` // the variable that holds the key
}

// ProviderSettings adds a provider, or changes what is built in of one.
type ProviderSettings struct {
	API       string `json:"api,omitzero"`         // chat, responses or anthropic; default: chat
	BaseURL   string `json:"base_url,omitzero"`    // with its version
	APIKeyEnv string `json:"api_key_env,omitzero"` // the variable that holds the key
	Model     string `json:"model,omitzero"`       // its default, without the provider's name
}

// A loaded setting knows where each value came from.
type loaded struct {
	Settings
	path    string            // of the file
	grace   time.Duration     // of interrupted commands; 0: the usual
	sources map[string]string // setting -> default, file, or the variable's name
}

// variables are the settings that the environment can give, in the order that config show
// prints them.
var variables = []struct {
	setting, variable string
	set               func(*Settings, string) error
	get               func(Settings) string
}{
	{"home", "PARLEY_HOME", func(s *Settings, v string) error { s.Home = v; return nil }, func(s Settings) string { return s.Home }},
	{"model", "PARLEY_MODEL", func(s *Settings, v string) error { s.Model = v; return nil }, func(s Settings) string { return s.Model }},
	{"permission_mode", "PARLEY_PERMISSION_MODE", setMode, func(s Settings) string { return string(s.PermissionMode) }},
	{"log", "PARLEY_LOG", func(s *Settings, v string) error { s.Log = v; return nil }, func(s Settings) string { return s.Log }},
	{"private_network", "PARLEY_PRIVATE_NETWORK", setPrivate, func(s Settings) string { return strconv.FormatBool(s.PrivateNetwork) }},
	{"openai_api", "PARLEY_OPENAI_API", func(s *Settings, v string) error { s.OpenAIAPI = v; return nil }, func(s Settings) string { return s.OpenAIAPI }},
	{"sandbox", "PARLEY_SANDBOX", func(s *Settings, v string) error { s.Sandbox = v; return nil }, func(s Settings) string { return s.Sandbox }},
	{"offline_script", "PARLEY_OFFLINE_SCRIPT", func(s *Settings, v string) error { s.OfflineScript = v; return nil }, func(s Settings) string { return s.OfflineScript }},
	{"trusted_folders", "PARLEY_TRUSTED_FOLDERS", setTrusted, func(s Settings) string { return strings.Join(s.TrustedFolders, string(filepath.ListSeparator)) }},
	{"budget", "PARLEY_BUDGET", setBudget, func(s Settings) string { return s.Budget.line() }},
	{"subagents", "PARLEY_SUBAGENTS", setSubagents, func(s Settings) string { return s.Subagents.line() }},
}

func setMode(s *Settings, v string) (err error) {
	s.PermissionMode, err = approval.ParseMode(v)
	return err
}

func setPrivate(s *Settings, v string) (err error) {
	s.PrivateNetwork, err = strconv.ParseBool(v)
	return err
}

// loadSettings reads defaults, the file, and the environment, in that order. A file with
// an unknown or unreadable setting is an error: nothing is guessed.
func loadSettings(getenv func(string) string) (loaded, error) {
	l := loaded{path: configPath(getenv), sources: map[string]string{}}
	l.Home = defaultHome(getenv)
	l.PermissionMode, l.Log, l.Sandbox = approval.WorkspaceWrite, "warn", "auto"
	for _, v := range variables {
		l.sources[v.setting] = "default"
	}
	if err := l.readFile(); err != nil {
		return l, err
	}
	for _, v := range variables {
		value := getenv(v.variable)
		if value == "" {
			continue
		}
		if err := v.set(&l.Settings, value); err != nil {
			return l, fmt.Errorf("%s: %w", v.variable, err)
		}
		l.sources[v.setting] = v.variable
	}
	return l, l.check()
}

func (l *loaded) readFile() error {
	data, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	if err := guardConfig(l.path); err != nil {
		return fmt.Errorf("the configuration cannot be used: %w", err)
	}
	plain, err := hujson.Standardize(data)
	if err != nil {
		return fmt.Errorf("read %s: %w", l.path, err)
	}
	if err := json.Unmarshal(plain, &l.Settings, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("read %s: %w", l.path, err)
	}
	var present map[string]any
	if err := json.Unmarshal(plain, &present); err != nil {
		return fmt.Errorf("read %s: %w", l.path, err)
	}
	for name := range present {
		l.sources[name] = l.path
	}
	return nil
}

func (l *loaded) check() error {
	if _, err := approval.ParseMode(string(l.PermissionMode)); err != nil {
		return fmt.Errorf("permission_mode: %w", err)
	}
	if _, ok := logLevels[l.Log]; !ok {
		return fmt.Errorf("log: unknown level %q: expected error, warn, info or debug", l.Log)
	}
	if l.OpenAIAPI != "" && l.OpenAIAPI != apiChat && l.OpenAIAPI != apiResponses {
		return fmt.Errorf("openai_api: unknown value %q: expected responses or chat", l.OpenAIAPI)
	}
	for name, server := range l.MCPServers {
		if err := server.check(name); err != nil {
			return err
		}
	}
	if _, err := sandbox.ParseChoice(l.Sandbox); err != nil {
		return err
	}
	if err := l.Hooks.check(); err != nil {
		return err
	}
	if err := checkTrusted(l.TrustedFolders); err != nil {
		return err
	}
	if err := errors.Join(l.Budget.check(), l.Subagents.check()); err != nil {
		return err
	}
	for name, p := range l.Providers {
		if p.API != "" && p.API != apiChat && p.API != apiResponses && p.API != apiAnthropic {
			return fmt.Errorf("providers.%s.api: unknown value %q: expected chat, responses or anthropic", name, p.API)
		}
	}
	return nil
}

func configPath(getenv func(string) string) string {
	if path := getenv("PARLEY_CONFIG"); path != "" {
		return path
	}
	return filepath.Join(configFolder(getenv), "config.jsonc")
}

// configFolder is where the configuration lies, and what belongs to it, unless PARLEY_CONFIG
// names another file.
func configFolder(getenv func(string) string) string {
	return filepath.Join(xdg(getenv, "XDG_CONFIG_HOME", ".config"), "parley")
}

func defaultHome(getenv func(string) string) string {
	return filepath.Join(xdg(getenv, "XDG_STATE_HOME", filepath.Join(".local", "state")), "parley")
}

// xdg is a base folder: the variable's, which has to be absolute to count, else one below home.
func xdg(getenv func(string) string, variable, below string) string {
	if dir := getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(homeDir(getenv), below)
}

// homeDir is the user's home, or a private folder of the system's temporary one where
// there is none: a bare container has to work too.
func homeDir(getenv func(string) string) string {
	if home := getenv("HOME"); home != "" {
		return home
	}
	if home, err := os.UserHomeDir(); err == nil && home != "" {
		return home
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("parley-%d", os.Getuid()))
}
