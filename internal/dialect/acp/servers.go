package acp

import (
	"net/url"
	"path/filepath"
	"strings"

	"golang.org/x/net/http/httpguts"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire"
)

// This file has the tool servers that clients bring.

// check checks what the transport of a server needs. The error names a member of the server.
func (s MCPServer) check() *wire.FieldError {
	switch {
	case s.Name == "":
		return &wire.FieldError{Field: "name", Problem: "must not be empty"}
	case s.Type == "sse":
		return &wire.FieldError{Field: "type", Problem: "must be http, or absent for a program: the transport sse is not supported"}
	case s.Type == "http":
		return s.checkHTTP()
	}
	return s.checkProgram()
}

func (s MCPServer) checkHTTP() *wire.FieldError {
	u, err := url.Parse(s.URL)
	switch {
	case s.URL == "":
		return &wire.FieldError{Field: "url", Missing: true}
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return &wire.FieldError{Field: "url", Expected: "an http or https URL"}
	case s.Headers == nil:
		return &wire.FieldError{Field: "headers", Missing: true}
	}
	for _, h := range s.Headers {
		if !httpguts.ValidHeaderFieldName(h.Name) || !httpguts.ValidHeaderFieldValue(h.Value) {
			return &wire.FieldError{Field: "headers", Problem: "has a name or a value that no header can have"}
		}
	}
	return nil
}

func (s MCPServer) checkProgram() *wire.FieldError {
	switch {
	case s.Command == "":
		return &wire.FieldError{Field: "command", Missing: true}
	case !filepath.IsAbs(s.Command) && filepath.Base(s.Command) != s.Command, strings.ContainsRune(s.Command, 0):
		return &wire.FieldError{Field: "command", Expected: "a name on PATH or an absolute path"}
	case s.Args == nil:
		return &wire.FieldError{Field: "args", Missing: true}
	case s.Env == nil:
		return &wire.FieldError{Field: "env", Missing: true}
	}
	for _, arg := range s.Args {
		if strings.ContainsRune(arg, 0) {
			return &wire.FieldError{Field: "args", Problem: "has a null character"}
		}
	}
	for _, v := range s.Env {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.ContainsRune(v.Value, 0) {
			return &wire.FieldError{Field: "env", Problem: "has a name or a value that no variable can have"}
		}
	}
	return nil
}

// serversOf returns tool servers as sessions use them.
func serversOf(given []MCPServer) []engine.Server {
	var servers []engine.Server
	for _, s := range given {
		servers = append(servers, engine.Server{
			Name: s.Name, Command: s.Command, Args: s.Args, Env: valuesOf(s.Env), URL: s.URL, Headers: valuesOf(s.Headers),
		})
	}
	return servers
}

func valuesOf(list []NameAndValue) map[string]string {
	values := map[string]string{}
	for _, v := range list {
		values[v.Name] = v.Value
	}
	return values
}
