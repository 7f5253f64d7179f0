package config

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/environ"
)

// MCPServer is a tool server in the configuration: a program, or an address.
type MCPServer struct {
	Type         string            `json:"type,omitzero"` // stdio, http or sse; "": by command and url
	Command      string            `json:"command,omitzero"`
	Args         []string          `json:"args,omitzero"`
	Env          map[string]string `json:"env,omitzero"`
	Dir          string            `json:"dir,omitzero"` // absolute; "": the session's workspace
	URL          string            `json:"url,omitzero"`
	Headers      map[string]string `json:"headers,omitzero"`
	OAuth        OAuthSettings     `json:"oauth,omitzero"`
	StartTimeout int               `json:"start_timeout_s,omitzero"` // seconds
	CallTimeout  int               `json:"call_timeout_s,omitzero"`  // seconds without a sign of progress
	Tools        []string          `json:"tools,omitzero"`           // patterns of the tools that are offered; empty: all
	NoTools      []string          `json:"disabled_tools,omitzero"`  // patterns of those that are not
	Disabled     bool              `json:"disabled,omitzero"`
	Sampling     string            `json:"sampling,omitzero"` // whether it may ask the model: ask, allow or off; default: ask
	Trusted      bool              `json:"trusted,omitzero"`  // only in the user's own configuration: its tools run where no approval is requested, and no sandbox confines them
	ServerAliases

	setting string // the setting that it was read from; "": mcp_servers and its name
}

// OAuthSettings is how the user signs in to a tool server; all are optional.
type OAuthSettings struct {
	ClientID     string   `json:"client_id,omitzero"`     // of this program, if it was registered by hand
	ClientSecret string   `json:"client_secret,omitzero"` // that belongs to it
	Scopes       []string `json:"scopes,omitzero"`        // requested, in place of those that the server names
	CallbackPort int      `json:"callback_port,omitzero"` // where the browser comes back to; 0: any free port
	OAuthAliases
}

func (s MCPServer) check(name string) error {
	setting := s.settingName(name)
	switch {
	case name == "":
		return invalid("mcp_servers", errors.New("a server has no name"))
	case (s.Command == "") == (s.URL == ""):
		return invalid(setting, errors.New("give either command or url"))
	case s.Dir != "" && !filepath.IsAbs(s.Dir):
		return invalid(setting+".dir", fmt.Errorf("%q is not absolute", s.Dir))
	case s.OAuth.ClientSecret != "" && s.OAuth.ClientID == "":
		return invalid(setting+".oauth.client_secret", errors.New("it needs a client_id"))
	case s.OAuth.CallbackPort < 0 || s.OAuth.CallbackPort > 65535:
		return invalid(setting+".oauth.callback_port", fmt.Errorf("%d is not a port", s.OAuth.CallbackPort))
	case s.Sampling != "" && s.Sampling != "ask" && s.Sampling != "allow" && s.Sampling != "off":
		return invalid(setting+".sampling", fmt.Errorf("%q is none of ask, allow and off", s.Sampling))
	case s.StartTimeout < 0:
		return invalid(setting+".start_timeout_s", errors.New("the timeout is negative"))
	case s.CallTimeout < 0:
		return invalid(setting+".call_timeout_s", errors.New("the timeout is negative"))
	}
	for setting, patterns := range map[string][]string{setting + ".tools": s.Tools, setting + ".disabled_tools": s.NoTools} {
		for i, pattern := range patterns {
			if _, err := path.Match(pattern, ""); err != nil {
				return invalid(fmt.Sprintf("%s[%d]", setting, i), fmt.Errorf("%q is not a pattern", pattern))
			}
		}
	}
	return nil
}

// Server returns the tool server of that name. A variable that is not set makes it one that
// cannot be used.
func (s MCPServer) Server(name string, getenv func(string) string) tool.Server {
	server := tool.Server{
		Name: name, Login: name, Command: s.Command, Dir: s.Dir, Tools: s.Tools, DisabledTools: s.NoTools, Sampling: tool.Sampling(strings.TrimPrefix(s.Sampling, "ask")),
		SSE: s.Type == typeSSE, Trusted: s.Trusted,
		StartLimit: time.Duration(s.StartTimeout) * time.Second, CallLimit: time.Duration(s.CallTimeout) * time.Second,
	}
	expand := func(setting, value string) string {
		value, err := ownReferences(value)
		if err != nil && server.Problem == "" {
			server.Problem = fmt.Sprintf("%s.%s: %v", s.settingName(name), setting, err)
		}
		expanded, err := ExpandVariables(value, func(variable string) string {
			set := getenv(variable)
			if set != "" && environ.IsSecret(variable, set) && !slices.Contains(server.Secrets, set) {
				server.Secrets = append(server.Secrets, set)
			}
			return set
		})
		if err != nil && server.Problem == "" {
			server.Problem = fmt.Sprintf("%s.%s: %v", s.settingName(name), setting, err)
		}
		return expanded
	}
	for i, arg := range s.Args {
		server.Args = append(server.Args, expand(fmt.Sprintf("args[%d]", i), arg))
	}
	server.Env = expandAll(s.Env, func(key, value string) string { return expand("env."+key, value) })
	server.Headers = expandAll(s.Headers, func(key, value string) string { return expand("headers."+key, value) })
	server.URL = expand("url", s.URL)
	server.OAuth = tool.OAuthClient{ClientID: expand("oauth.client_id", s.OAuth.ClientID), ClientSecret: expand("oauth.client_secret", s.OAuth.ClientSecret)}
	return server
}

// expandAll returns a map with the expanded values, in a fixed order of the calls; nil stays nil.
func expandAll(values map[string]string, expand func(key, value string) string) map[string]string {
	if values == nil {
		return nil
	}
	expanded := make(map[string]string, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		expanded[key] = expand(key, values[key])
	}
	return expanded
}

func (c *Config) checkServers() error {
	for _, name := range slices.Sorted(maps.Keys(c.MCPServers)) {
		if err := c.MCPServers[name].check(name); err != nil {
			return err
		}
	}
	return nil
}

// EnabledServers returns the servers that are not disabled, sorted by name, with the variables that their settings
// name.
func EnabledServers(servers map[string]MCPServer, getenv func(string) string) []tool.Server {
	var enabled []tool.Server
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if m := servers[name]; !m.Disabled {
			enabled = append(enabled, m.Server(name, getenv))
		}
	}
	return enabled
}
