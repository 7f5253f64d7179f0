package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/tool"
)

// ClientServers reads the tool servers that a client gives for a session, as mcp_servers has them. Variables are not
// replaced in them: the client would be sent values of this process's environment.
func ClientServers(value []byte) ([]tool.Server, error) {
	var given ServerMaps
	if err := json.Unmarshal(value, &given.VSCode, json.RejectUnknownMembers(true)); err != nil {
		return nil, errors.New("servers: " + configfile.Problem(err, &given.VSCode, "member"))
	}
	if _, nameless := given.VSCode[""]; nameless {
		return nil, errors.New("servers: a server has no name")
	}
	servers, err := given.settle(nil)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if err := servers[name].check(name); err != nil {
			return nil, err
		}
	}
	enabled := EnabledServers(servers, func(string) string { return "" })
	for i, s := range enabled {
		enabled[i].Trusted = false // a client is no configuration of the user
		if s.Problem != "" {
			return nil, fmt.Errorf("%s: variables are not replaced in servers of clients", s.Problem)
		}
	}
	return enabled, nil
}
