package flint

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire"
)

// This file reads the tool servers of threads: as mcpServers, and as overrides.

// DecodeWire reads a server and determines its type from its members.
func (s *McpServer) DecodeWire(value jsontext.Value, o wire.ObjectOptions) error {
	type plain McpServer // without this method
	var members plain
	if err := wire.DecodeValue(value, &members, o); err != nil {
		return err
	}
	*s = McpServer(members)
	if s.Headers == nil {
		s.Headers = s.HTTPHeaders
	}
	s.HTTPHeaders = nil
	switch {
	case s.Type == "streamable_http", s.Type == "" && s.Command == "" && s.URL != "":
		s.Type = "http"
	case s.Type == "" && s.Command != "":
		s.Type = "stdio"
	}
	return s.check()
}

func (s *McpServer) check() error {
	switch {
	case s.Type == "":
		return problem("", "needs a command or a url")
	case s.Type != "stdio" && s.Type != "http":
		return &wire.FieldError{Field: "type", Expected: `"stdio", "http" or "streamable_http"`}
	case s.Type == "stdio" && s.Command == "":
		return &wire.FieldError{Field: "command", Missing: true}
	case s.Type == "http" && s.URL == "":
		return &wire.FieldError{Field: "url", Missing: true}
	case s.Type == "http" && !isHTTP(s.URL):
		return &wire.FieldError{Field: "url", Expected: "an http or https URL"}
	}
	return nil
}

func isHTTP(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// serversKey is the override for tool servers.
const serversKey = "mcp_servers"

// DecodeWire takes the tool servers out of the overrides.
func (c *ThreadConfig) DecodeWire(value jsontext.Value, o wire.ObjectOptions) error {
	var overrides map[string]jsontext.Value
	if err := wire.DecodeValue(value, &overrides, o); err != nil {
		return err
	}
	settings := tree{}
	*c = ThreadConfig{Values: map[string]jsontext.Value{}}
	for _, key := range slices.Sorted(maps.Keys(overrides)) {
		path := strings.SplitN(key, ".", 4) // mcp_servers, name, member, and the name of a variable or header
		if path[0] != serversKey {
			c.Values[key] = overrides[key]
			continue
		}
		if err := settings.put(path, overrides[key], o); err != nil {
			return err
		}
	}
	if len(settings) == 0 {
		return nil
	}
	servers, err := json.Marshal(settings[serversKey], jsontext.AllowDuplicateNames(true), json.Deterministic(true))
	if err != nil {
		return err
	}
	if err := wire.DecodeValue(servers, &c.McpServers, o); err != nil {
		return appserver.Below(serversKey, err)
	}
	return nil
}

// A tree is objects within objects; its leaves are values of any other type.
type tree map[string]any

// put places a value at the end of path. An object's members are placed one by one, so that
// an object that is set in several pieces is merged.
func (t tree) put(path []string, value jsontext.Value, o wire.ObjectOptions) error {
	node := t
	last := len(path) - 1
	if value.Kind() == jsontext.KindBeginObject {
		last++ // the object itself is a node
	}
	for i, name := range path[:last] {
		if _, exists := node[name]; !exists {
			node[name] = tree{}
		}
		child, isTree := node[name].(tree)
		if !isTree {
			return &wire.FieldError{Field: strings.Join(path[:i+1], "."), Expected: "an object"}
		}
		node = child
	}
	if last < len(path) {
		node[path[last]] = value
		return nil
	}
	var members map[string]jsontext.Value
	if err := wire.DecodeValue(value, &members, o); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := t.put(append(slices.Clip(path), name), members[name], o); err != nil {
			return err
		}
	}
	return nil
}

// settle adds the servers of the overrides to those that were given by name.
func (c *ThreadConfig) settle(servers *map[string]McpServer) {
	for name, server := range c.McpServers {
		if *servers == nil {
			*servers = map[string]McpServer{}
		}
		if _, given := (*servers)[name]; !given {
			(*servers)[name] = server
		}
	}
	c.McpServers = nil
}

// serversOf returns tool servers as sessions use them, sorted by name.
func serversOf(given map[string]McpServer) []engine.Server {
	var servers []engine.Server
	for _, name := range slices.Sorted(maps.Keys(given)) {
		s := given[name]
		servers = append(servers, engine.Server{
			Name: name, Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.Cwd, URL: s.URL, Headers: s.Headers,
		})
	}
	return servers
}
