package config

import (
	"fmt"
	"log/slog"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/sandbox"
)

// Settings is the configuration file: JSON with comments; docs/config.md describes each member.
type Settings struct {
	Home           string        `json:"home,omitzero"`            // state folder
	Model          string        `json:"model,omitzero"`           // provider/model-id
	PermissionMode approval.Mode `json:"permission_mode,omitzero"` // of parley run
	Log            string        `json:"log,omitzero"`             // error, warn, info or debug
	PrivateNetwork bool          `json:"private_network,omitzero"` // fetch may reach private addresses
	OpenAIAPI      string        `json:"openai_api,omitzero"`      // responses or chat
	OfflineScript  string        `json:"offline_script,omitzero"`  // what offline/script plays
	Record         string        `json:"record,omitzero"`          // the file that answers of models are appended to
	StoreSettings
	Sandbox       string                      `json:"sandbox,omitzero"` // how commands are confined: auto, landlock, bubblewrap or off
	Backend       string                      `json:"backend,omitzero"` // default of new sessions; "": our own loop
	Backends      map[string]BackendSettings  `json:"backends,omitzero"`
	Providers     map[string]ProviderSettings `json:"providers,omitzero"`
	MCPServers    map[string]MCPServer        `json:"mcp_servers,omitzero"`
	MCPDeferAbove int                         `json:"mcp_defer_above,omitzero"` // tools of servers whose definitions are sent at once; 0: the default, negative: any number
	ServerMaps
	Search         SearchSettings    `json:"search,omitzero"`
	Budget         BudgetSettings    `json:"budget,omitzero"`
	Subagents      *SubagentSettings `json:"subagents,omitzero"` // nil: only where a dialect has its own
	Host           HostSettings      `json:"host,omitzero"`
	TUI            TUISettings       `json:"tui,omitzero"`
	Telemetry      TelemetrySettings `json:"telemetry,omitzero"`
	SignIn         SignInSettings    `json:"signin,omitzero"`
	Hooks          HookSettings      `json:"hooks,omitzero"`
	ProjectHooks   bool              `json:"project_hooks,omitzero"`   // those in .claude of trusted folders run
	TrustedFolders []string          `json:"trusted_folders,omitzero"` // what they hold may start programs
	SkillsPaths    []string          `json:"skills_paths,omitzero"`    // further folders of skills
	PassVariables  []string          `json:"pass_variables,omitzero"`  // variables that children get although they look like secrets
	SecretsInFile  bool              `json:"secrets_in_file,omitzero"` // keep them there even where there is a keyring
}

var logLevels = lazy.Value[map[string]slog.Level]{New: func() map[string]slog.Level {
	return map[string]slog.Level{
		"error": slog.LevelError, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug,
	}
}}

// LogLevel returns the level of Log.
func (s *Settings) LogLevel() slog.Level { return logLevels.Get()[s.Log] }

// IsLogLevel reports whether Log can have a value.
func IsLogLevel(word string) bool { _, ok := logLevels.Get()[word]; return ok }

// checkWords checks the settings that have one of a few words.
func (c *Config) checkWords() []error {
	_, mode := approval.ParseMode(string(c.PermissionMode))
	_, confinement := sandbox.ParseChoice(c.Sandbox)
	errs := []error{invalid("permission_mode", mode), invalid("sandbox", confinement)}
	if !IsLogLevel(c.Log) {
		errs = append(errs, invalid("log", fmt.Errorf("unknown level %q: expected error, warn, info or debug", c.Log)))
	}
	if c.OpenAIAPI != "" && c.OpenAIAPI != APIChat && c.OpenAIAPI != APIResponses {
		errs = append(errs, invalid("openai_api", fmt.Errorf("unknown value %q: expected responses or chat", c.OpenAIAPI)))
	}
	return errs
}
