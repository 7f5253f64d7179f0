package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// MCPServer is a tool server in the configuration: a program, or an address.
type MCPServer struct {
	Command      string            `json:"command,omitzero"`
	Args         []string          `json:"args,omitzero"`
	Env          map[string]string `json:"env,omitzero"`
	Dir          string            `json:"dir,omitzero"` // absolute; "": the session's workspace
	URL          string            `json:"url,omitzero"`
	Headers      map[string]string `json:"headers,omitzero"`
	StartTimeout int               `json:"start_timeout_s,omitzero"` // seconds
	CallTimeout  int               `json:"call_timeout_s,omitzero"`  // seconds without a sign of progress
	Disabled     bool              `json:"disabled,omitzero"`
}

func (s MCPServer) check(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("mcp_servers: a server has no name")
	case (s.Command == "") == (s.URL == ""):
		return fmt.Errorf("mcp_servers.%s: give either command or url", name)
	case s.Dir != "" && !filepath.IsAbs(s.Dir):
		return fmt.Errorf("mcp_servers.%s.dir: %q is not absolute", name, s.Dir)
	case s.StartTimeout < 0 || s.CallTimeout < 0:
		return fmt.Errorf("mcp_servers.%s: a timeout is negative", name)
	}
	return nil
}

// servers is the configured tool servers that are not disabled, sorted by name.
func (s Settings) servers() []tool.Server {
	var servers []tool.Server
	for _, name := range slices.Sorted(maps.Keys(s.MCPServers)) {
		m := s.MCPServers[name]
		if m.Disabled {
			continue
		}
		servers = append(servers, tool.Server{
			Name: name, Command: m.Command, Args: m.Args, Env: m.Env, Dir: m.Dir, URL: m.URL, Headers: m.Headers,
			StartLimit: time.Duration(m.StartTimeout) * time.Second, CallLimit: time.Duration(m.CallTimeout) * time.Second,
		})
	}
	return servers
}

// connect makes the source of a session: its own servers, and those that are configured
// under other names. Without any there is none.
func (a *app) connect(own []tool.Server, dir string, status func(event.ServerChanged)) tool.Source {
	servers := slices.Clone(own)
	for _, s := range a.settings.servers() {
		if !slices.ContainsFunc(own, func(o tool.Server) bool { return o.Name == s.Name }) {
			servers = append(servers, s)
		}
	}
	var source tool.Source
	if len(servers) > 0 {
		source = a.mcp.Connect(servers, dir, status)
	}
	if a.extensions.Load() != nil {
		return withExtensions{source, &a.extensions}
	}
	return source
}
