package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
)

// This file reads tool servers as the documentation of servers shows them for other agents: Claude Code,
// Claude Desktop, Cursor, VS Code, Gemini CLI, Cline. After settle only our own names are set.

// ServerMaps are tool servers by the names that other agents have for mcp_servers.
type ServerMaps struct {
	Common map[string]MCPServer `json:"mcpServers,omitzero"`
	VSCode map[string]MCPServer `json:"servers,omitzero"`
}

// settle returns the servers of all maps by name, with our names of settings only. The error is the first one; servers with errors are left out.
func (m ServerMaps) settle(own map[string]MCPServer) (map[string]MCPServer, error) {
	var servers map[string]MCPServer
	var errs []error
	for _, from := range []struct {
		setting string
		servers map[string]MCPServer
	}{{"mcp_servers", own}, {"mcpServers", m.Common}, {"servers", m.VSCode}} {
		for _, name := range slices.Sorted(maps.Keys(from.servers)) {
			s := from.servers[name]
			s.setting = from.setting + "." + name
			_, twice := servers[name]
			err := s.settle()
			switch {
			case twice:
				errs = append(errs, invalid(s.setting, errors.New("there is another server of that name")))
				continue
			case err != nil:
				errs = append(errs, err)
				continue
			}
			if servers == nil {
				servers = map[string]MCPServer{}
			}
			servers[name] = s
		}
	}
	return servers, cmp.Or(errs...)
}

// ServerAliases are settings of a tool server by their names elsewhere. The last four have no effect:
// calls need approval as all calls.
type ServerAliases struct {
	Transport   string         `json:"transport,omitzero"`
	Enabled     *bool          `json:"enabled,omitzero"`
	Cwd         string         `json:"cwd,omitzero"`
	HTTPURL     string         `json:"httpUrl,omitzero"`
	ServerURL   string         `json:"serverUrl,omitzero"`
	Timeout     int            `json:"timeout,omitzero"` // of one call, in milliseconds
	Include     []string       `json:"includeTools,omitzero"`
	Enable      []string       `json:"enabled_tools,omitzero"`
	Exclude     []string       `json:"excludeTools,omitzero"`
	Disable     []string       `json:"disabledTools,omitzero"`
	Description jsontext.Value `json:"description,omitzero"`
	AutoApprove jsontext.Value `json:"autoApprove,omitzero"`
	AlwaysAllow jsontext.Value `json:"alwaysAllow,omitzero"`
	Trust       jsontext.Value `json:"trust,omitzero"`
}

// OAuthAliases are settings of a sign-in by their names elsewhere.
type OAuthAliases struct {
	ID       string   `json:"clientId,omitzero"`
	Secret   string   `json:"clientSecret,omitzero"`
	Scope    []string `json:"scope,omitzero"`
	Callback int      `json:"callbackPort,omitzero"`
}

// The types of servers.
const (
	typeStdio = "stdio"
	TypeHTTP  = "http"
	typeSSE   = "sse"
)

// serverTypes is the types by all their names.
var serverTypes = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		typeStdio: typeStdio, "local": typeStdio,
		TypeHTTP: TypeHTTP, "streamable-http": TypeHTTP, "streamable_http": TypeHTTP, "streamableHttp": TypeHTTP, "remote": TypeHTTP,
		typeSSE: typeSSE,
	}
}}

// settingName returns the setting that the server was read from.
func (s MCPServer) settingName(name string) string { return cmp.Or(s.setting, "mcp_servers."+name) }

// Settled returns a server that is about to be written to a file under a name: checked, and with our names of
// settings only.
func (s MCPServer) Settled(name string) (MCPServer, error) {
	s.setting = name
	if err := s.settle(); err != nil {
		return s, err
	}
	err := s.check(name)
	s.setting = ""
	return s, err
}

// settle replaces the aliases by our own settings.
func (s *MCPServer) settle() error {
	a := s.ServerAliases
	s.ServerAliases = ServerAliases{}
	err := cmp.Or(
		alias(&s.Type, a.Transport, s.setting, "type", "transport"),
		alias(&s.Dir, a.Cwd, s.setting, "dir", "cwd"),
		alias(&s.URL, a.HTTPURL, s.setting, "url", "httpUrl"),
		alias(&s.URL, a.ServerURL, s.setting, "url", "serverUrl"),
		aliasList(&s.Tools, a.Include, s.setting, "tools", "includeTools"),
		aliasList(&s.Tools, a.Enable, s.setting, "tools", "enabled_tools"),
		aliasList(&s.NoTools, a.Exclude, s.setting, "disabled_tools", "excludeTools"),
		aliasList(&s.NoTools, a.Disable, s.setting, "disabled_tools", "disabledTools"),
		s.settleTimeout(a.Timeout), s.settleType(),
		s.OAuth.settle(s.setting+".oauth"),
	)
	if a.Enabled != nil {
		if s.Disabled && *a.Enabled {
			err = cmp.Or(err, invalid(s.setting+".enabled", errors.New("it is true, and so is disabled")))
		}
		s.Disabled = !*a.Enabled
	}
	return err
}

// settleTimeout rounds up: our limits are in seconds.
func (s *MCPServer) settleTimeout(milliseconds int) error {
	const second = int(time.Second / time.Millisecond)
	switch {
	case milliseconds == 0:
		return nil
	case milliseconds < second:
		return invalid(s.setting+".timeout", fmt.Errorf("%d milliseconds is too short: for seconds use call_timeout_s", milliseconds))
	case s.CallTimeout != 0:
		return invalid(s.setting+".timeout", errors.New("call_timeout_s is given, too"))
	}
	s.CallTimeout = (milliseconds + second - 1) / second
	return nil
}

func (s *MCPServer) settleType() error {
	if s.Type == "" {
		return nil
	}
	known, ok := serverTypes.Get()[s.Type]
	switch {
	case !ok:
		return invalid(s.setting+".type", fmt.Errorf("unknown value %q: expected stdio, http or sse", s.Type))
	case known == typeStdio && s.Command == "":
		return invalid(s.setting+".type", errors.New("a server of the type stdio needs a command"))
	case known != typeStdio && s.URL == "":
		return invalid(s.setting+".type", fmt.Errorf("a server of the type %s needs a url", known))
	}
	s.Type = known
	return nil
}

func (o *OAuthSettings) settle(setting string) error {
	a := o.OAuthAliases
	o.OAuthAliases = OAuthAliases{}
	return cmp.Or(
		alias(&o.ClientID, a.ID, setting, "client_id", "clientId"),
		alias(&o.ClientSecret, a.Secret, setting, "client_secret", "clientSecret"),
		alias(&o.CallbackPort, a.Callback, setting, "callback_port", "callbackPort"),
		aliasList(&o.Scopes, a.Scope, setting, "scopes", "scope"),
	)
}

// alias makes a value that was given by another name the setting's.
func alias[T comparable](own *T, value T, setting, name, other string) error {
	var none T
	if value == none {
		return nil
	}
	if *own != none && *own != value {
		return invalid(setting+"."+other, fmt.Errorf("%s is given, too", name))
	}
	*own = value
	return nil
}

func aliasList(own *[]string, value []string, setting, name, other string) error {
	if len(value) == 0 {
		return nil
	}
	if len(*own) > 0 && !slices.Equal(*own, value) {
		return invalid(setting+"."+other, fmt.Errorf("%s is given, too", name))
	}
	*own = value
	return nil
}

// otherReference is how other agents name a variable, or something that they ask for.
var otherReference = lazy.Regexp{Expr: `\$\{(env|input|command|config):([^}]*)\}`}

// ownReferences returns value with ${NAME} in the place of ${env:NAME}. What is not a variable is an error.
func ownReferences(value string) (string, error) {
	for _, found := range otherReference.Get().FindAllStringSubmatch(value, -1) {
		if found[1] != "env" {
			return "", fmt.Errorf("%s is not supported: use ${NAME} for a variable", found[0])
		}
	}
	return otherReference.Get().ReplaceAllString(value, "$${$2}"), nil
}
