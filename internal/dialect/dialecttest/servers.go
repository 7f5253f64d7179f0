package dialecttest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/mcp"
	"parley.dev/parley/internal/tool"
)

// connect makes the source of a session's own servers and of those that the home's configuration
// names: programs only.
func (p *Process) connect(own []tool.Server, dir string, status func(event.ServerChanged)) tool.Source {
	servers := slices.Concat(own, p.configured())
	if len(servers) == 0 {
		return nil
	}
	return p.pool.Connect(servers, dir, status)
}

// Pool returns what starts tool servers.
func (p *Process) Pool() *mcp.Pool { return p.pool }

// Servers returns the tool servers of the home's configuration, sorted by name.
func (p *Process) Servers() []tool.Server { return p.configured() }

// configured returns the tool servers of the configuration file, sorted by name.
func (p *Process) configured() []tool.Server {
	data, err := os.ReadFile(filepath.Join(p.Getenv("HOME"), ".config", "parley", "config.jsonc"))
	if err != nil {
		return nil
	}
	var config struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcp_servers"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		panic(err) // a test that is wrong
	}
	var servers []tool.Server
	for _, name := range slices.Sorted(maps.Keys(config.Servers)) {
		s := config.Servers[name]
		servers = append(servers, tool.Server{Name: name, Command: s.Command, Args: s.Args})
	}
	return servers
}
