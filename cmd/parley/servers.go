package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/mcp"
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

// examineServers starts the configured tool servers side by side, and lists their tools.
func (a *app) examineServers(ctx context.Context) []finding {
	servers := config.EnabledServers(a.serversHere(), os.Getenv)
	findings := make([]finding, len(servers))
	var tests sync.WaitGroup
	for i, s := range servers {
		tests.Go(func() {
			f := finding{Check: "tool server: " + s.Name}
			report, err := a.mcp.Test(ctx, s, os.TempDir())
			if wanted, ok := errors.AsType[*mcp.SignInError](err); ok {
				f.Detail, f.Fix = "it wants a sign-in", "run parley mcp login "+wanted.Login
			} else if err != nil {
				f.Detail, f.Fix = err.Error(), "correct mcp_servers."+s.Name+" in the configuration, and try parley mcp test "+s.Name
			} else {
				f.OK, f.Detail = true, counted(len(report.Tools), "tool")
			}
			findings[i] = f
		})
	}
	tests.Wait()
	return findings
}

// connect makes the source of a session: its own servers, and those that are configured, and
// those of a trusted project, under other names. Without any there is none.
func (a *app) connect(own []tool.Server, dir string, status func(event.ServerChanged)) tool.Source {
	servers := slices.Clone(own)
	for _, s := range config.EnabledServers(a.serversIn(dir), os.Getenv) {
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
