package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
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
	MCPDeferAbove  int                         `json:"mcp_defer_above,omitzero"` // tools of servers whose definitions are sent at once; 0: the default, negative: any number
	ServerMaps
	Search         SearchSettings    `json:"search,omitzero"`
	Budget         BudgetSettings    `json:"budget,omitzero"`
	Subagents      *SubagentSettings `json:"subagents,omitzero"` // nil: only where a dialect has its own
	SignIn         SignInSettings    `json:"signin,omitzero"`
	Hooks          HookSettings      `json:"hooks,omitzero"`
	ProjectHooks   bool              `json:"project_hooks,omitzero"`   // those in .claude of trusted folders run
	TrustedFolders []string          `json:"trusted_folders,omitzero"` // what they hold may start programs
	SkillsPaths    []string          `json:"skills_paths,omitzero"`    // further folders of skills
	PassVariables  []string          `json:"pass_variables,omitzero"`  // variables that children get although they look like secrets
	SecretsInFile  bool              `json:"secrets_in_file,omitzero"` // keep them there even where there is a keyring
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
	Profile   string `json:"profile,omitzero"`     // the endpoint that it resembles, by its name in package profile

	// Headers are sent with each request. ${NAME} in a value stands for the variable NAME.
	Headers     map[string]string        `json:"headers,omitzero"`
	IdleTimeout string                   `json:"idle_timeout,omitzero"` // how long it may send nothing, as in 20m; default: 5m
	ServiceTier string                   `json:"service_tier,omitzero"` // sent with each request: flex, priority and so on
	CacheTTL    string                   `json:"cache_ttl,omitzero"`    // how long cached parts of requests to Claude count: 5m or 1h; default: 5m
	Models      map[string]ModelSettings `json:"models,omitzero"`       // by id
}

// ModelSettings states what is not known of a model, or not right.
type ModelSettings struct {
	ContextWindow int              `json:"context_window,omitzero"` // tokens
	MaxOutput     int              `json:"max_output,omitzero"`     // tokens
	Images        *bool            `json:"images,omitzero"`
	Thinking      []model.Thinking `json:"thinking,omitzero"` // levels; empty: it does not reason
	Price         *model.Price     `json:"price,omitzero"`    // US dollars per million tokens
}

// A settingError is a setting whose value cannot be used.
type settingError struct {
	setting string // "providers.work.api", "hooks.before_tool[1]"
	err     error
}

func (e *settingError) Error() string { return e.setting + ": " + e.err.Error() }

func (e *settingError) Unwrap() error { return e.err }

// invalid makes err a settingError; nil stays nil.
func invalid(setting string, err error) error {
	if err == nil {
		return nil
	}
	return &settingError{setting, err}
}

// fromDefault is the source of a setting that nothing sets.
const fromDefault = "default"

// A loaded setting knows where each value came from.
type loaded struct {
	Settings
	path    string            // of the file
	exists  bool              // the file is there
	file    configfile.File   // as it was read
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
	{"pass_variables", "PARLEY_PASS_VARIABLES", setPassVariables, func(s Settings) string { return strings.Join(s.PassVariables, ",") }},
	{"budget", "PARLEY_BUDGET", setBudget, func(s Settings) string { return s.Budget.line() }},
	{"subagents", "PARLEY_SUBAGENTS", setSubagents, func(s Settings) string { return s.Subagents.line() }},
}

func setPassVariables(s *Settings, v string) error {
	s.PassVariables = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}

func setMode(s *Settings, v string) (err error) {
	s.PermissionMode, err = approval.ParseMode(v)
	return err
}

func setPrivate(s *Settings, v string) (err error) {
	if s.PrivateNetwork, err = strconv.ParseBool(v); err != nil {
		return fmt.Errorf("cannot read %q: expected true or false", v)
	}
	return nil
}

func defaultSettings(getenv func(string) string) loaded {
	l := loaded{path: configPath(getenv), sources: map[string]string{}}
	l.Home = defaultHome(getenv)
	l.PermissionMode, l.Log, l.Sandbox = approval.WorkspaceWrite, "warn", "auto"
	for _, v := range variables {
		l.sources[v.setting] = fromDefault
	}
	return l
}

// loadSettings reads defaults, the file, and the environment, in that order. A file with
// an unknown or unreadable setting is an error: nothing is guessed.
func loadSettings(getenv func(string) string) (loaded, error) {
	l := defaultSettings(getenv)
	if home, temporary := tempHome(getenv); temporary {
		if err := guardTempHome(home); err != nil {
			return l, fmt.Errorf("there is no HOME, and the folder in its place cannot be used: %w", err)
		}
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
	return l, l.check(getenv)
}

func (l *loaded) readFile() error {
	data, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	l.exists = true
	if err := guardConfig(l.path); err != nil {
		return fmt.Errorf("the configuration cannot be used: %w", err)
	}
	l.file, err = configfile.Decode(l.path, data, &l.Settings, json.RejectUnknownMembers(true))
	for _, name := range l.file.Names() {
		l.sources[name] = l.path
	}
	return err
}

// check returns everything that is wrong with the values.
func (l *loaded) check(getenv func(string) string) error {
	errs := l.checkWords()
	_, search := l.searcher(getenv)
	servers, err := l.ServerMaps.settle(l.MCPServers)
	l.MCPServers, l.ServerMaps = servers, ServerMaps{}
	errs = append(errs, err, l.checkServers(), l.checkHooks(), checkFolders("trusted_folders", l.TrustedFolders), checkFolders("skills_paths", l.SkillsPaths), l.Budget.check(), l.Subagents.check(), l.checkProviders(), search)
	for i, err := range errs {
		errs[i] = l.located(err)
	}
	return errors.Join(errs...)
}

// located adds where the setting of err was given: the line of the file, or the variable.
func (l *loaded) located(err error) error {
	e, ok := errors.AsType[*settingError](err)
	if !ok {
		return err
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(e.setting, "[", "."), ".")
	switch source := l.sources[name]; source {
	case l.path:
		return fmt.Errorf("%s:%d: %w", l.path, l.file.Line(e.setting), err)
	case "", fromDefault:
		return err
	default:
		return fmt.Errorf("%s: %w", source, e.err)
	}
}

// checkWords checks the settings that have one of a few words.
func (l *loaded) checkWords() []error {
	_, mode := approval.ParseMode(string(l.PermissionMode))
	_, confinement := sandbox.ParseChoice(l.Sandbox)
	errs := []error{invalid("permission_mode", mode), invalid("sandbox", confinement)}
	if _, ok := logLevels[l.Log]; !ok {
		errs = append(errs, invalid("log", fmt.Errorf("unknown level %q: expected error, warn, info or debug", l.Log)))
	}
	if l.OpenAIAPI != "" && l.OpenAIAPI != apiChat && l.OpenAIAPI != apiResponses {
		errs = append(errs, invalid("openai_api", fmt.Errorf("unknown value %q: expected responses or chat", l.OpenAIAPI)))
	}
	return errs
}

func (l *loaded) checkServers() error {
	for _, name := range slices.Sorted(maps.Keys(l.MCPServers)) {
		if err := l.MCPServers[name].check(name); err != nil {
			return err
		}
	}
	return nil
}

// checkHooks takes the setting from the error's text, which begins with it.
func (l *loaded) checkHooks() error {
	err := l.Hooks.check()
	if err == nil {
		return nil
	}
	setting, problem, _ := strings.Cut(err.Error(), ": ")
	return invalid(setting, errors.New(problem))
}

func (l *loaded) checkProviders() error {
	for _, name := range slices.Sorted(maps.Keys(l.Providers)) {
		if api := l.Providers[name].API; api != "" && api != apiChat && api != apiResponses && api != apiAnthropic {
			return invalid("providers."+name+".api", fmt.Errorf("unknown value %q: expected chat, responses or anthropic", api))
		}
		if err := l.Providers[name].checkEndpoint("providers." + name); err != nil {
			return err
		}
		switch own := l.Providers[name].Profile; {
		case own == "":
		case l.Providers[name].API == apiAnthropic || l.Providers[name].API == "" && name == "anthropic":
			return invalid("providers."+name+".profile", errors.New("a provider with the api anthropic has no profile"))
		case !slices.Contains(profile.Names(), own):
			return invalid("providers."+name+".profile", fmt.Errorf("unknown value %q: expected one of %s", own, strings.Join(profile.Names(), ", ")))
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
	home, _ := tempHome(getenv)
	return home
}

// tempHome is the folder in the place of the home folder; temporary is false if that is not
// used.
func tempHome(getenv func(string) string) (home string, temporary bool) {
	user, err := os.UserHomeDir()
	temporary = getenv("HOME") == "" && (err != nil || user == "")
	return filepath.Join(os.TempDir(), fmt.Sprintf("parley-%d", os.Getuid())), temporary
}
