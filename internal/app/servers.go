package app

import (
	"slices"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// deferral returns above what the definitions of tools of servers are deferred; 0: the default, negative: never.
func deferral(above int) engine.Deferral {
	switch {
	case above < 0:
		return engine.Deferral{}
	case above > 0:
		return engine.Deferral{Tools: above}
	}
	return engine.DefaultDeferral
}

// servers returns the tool servers of a session in dir: its own, and those of the configuration and of a trusted project under
// other names.
func (a *App) servers(own []tool.Server, dir string) []tool.Server {
	servers := slices.Clone(own)
	for _, s := range config.EnabledServers(a.ServersIn(dir), a.getenv) {
		if !slices.ContainsFunc(own, func(o tool.Server) bool { return o.Name == s.Name }) {
			servers = append(servers, s)
		}
	}
	return servers
}

// Servers returns the tool servers that sessions in dir have without any of their own.
func (a *App) Servers(dir string) []tool.Server { return a.servers(nil, dir) }

// connect returns the source of tools of a session in dir. Without tool servers it is nil.
func (a *App) connect(own []tool.Server, dir string, status func(event.ServerChanged)) tool.Source {
	servers := a.servers(own, dir)
	var source tool.Source
	if len(servers) > 0 {
		source = a.MCP.Connect(servers, dir, status)
	}
	if a.extensions.Load() != nil {
		return withExtensions{source, &a.extensions}
	}
	return source
}
