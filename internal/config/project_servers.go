package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/regular"
)

// ProjectServersFile is where a project names tool servers, as Claude Code and others read it.
const ProjectServersFile = ".mcp.json"

// MaxProjectServers is how long it may be, in bytes.
const MaxProjectServers = 1 << 20

// ReadProjectServers reads the tool servers that a file of a project names. On an error it returns those that
// can be used.
func ReadProjectServers(path string) (map[string]MCPServer, error) {
	servers, _, err := readProjectServers(path)
	return servers, err
}

// WantTrust returns the names of the servers in a file of a project that are "trusted" there, which has no effect.
func WantTrust(path string) []string {
	_, names, _ := readProjectServers(path) // what is wrong is reported where the servers are used
	return names
}

func readProjectServers(path string) (servers map[string]MCPServer, wantTrust []string, err error) {
	text, err := regular.ReadFileNoFollow(path, MaxProjectServers)
	if err != nil {
		return nil, nil, err
	}
	var named ServerMaps
	file, err := configfile.Decode(path, text, &named, json.RejectUnknownMembers(true))
	if err != nil {
		return nil, nil, err
	}
	located := func(err error) error {
		if e, ok := errors.AsType[*Error](err); ok {
			return fmt.Errorf("%s:%d: %w", path, file.Line(e.setting), err)
		}
		return err
	}
	servers, err = named.settle(nil)
	err = located(err)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		untrusted := servers[name]
		if untrusted.Trusted {
			wantTrust = append(wantTrust, name)
		}
		untrusted.Trusted = false // a project is no configuration of the user
		servers[name] = untrusted
		if wrong := servers[name].check(name); wrong != nil {
			delete(servers, name)
			err = errors.Join(err, located(wrong))
		}
	}
	return servers, wantTrust, err
}
