package tool

import (
	"context"
	"time"

	"parley.dev/parley/internal/event"
)

// A Server is a tool server (MCP) that a session uses: a program that is started, or an
// address. Its values may hold secrets: they are never stored, logged or shown.
type Server struct {
	Name string

	Command string            // a program, found on PATH; "": URL says where the server is
	Args    []string          //
	Env     map[string]string // added to the environment of tools
	Dir     string            // where it runs, absolute; "": the session's workspace

	URL     string            // of a streamable HTTP endpoint
	Headers map[string]string //

	StartLimit time.Duration // until its tools are known; 0: the default
	CallLimit  time.Duration // of one call without a sign of progress; 0: the default
}

// A Source offers the tools of a session's servers. It is safe for use by several goroutines.
type Source interface {
	// Tools is what is offered now, sorted by name. Servers that do not run are started, side
	// by side; it returns when each is ready or has failed, or when ctx ends. A server that
	// failed offers nothing, and is tried again later.
	Tools(ctx context.Context) []Tool
	// Close says that the session is over. What runs is left to others that use it.
	Close()
}

// A Remote is a Tool that a server has.
type Remote interface {
	Tool
	// Origin is the server's name and the server's own name of the tool.
	Origin() (server, name string)
}

// Connect makes the Source of a session in dir; nil: there are no servers. Status is told
// what becomes of them: from any goroutine, never within Connect, and until Source.Close returns.
type Connect func(servers []Server, dir string, status func(event.ServerChanged)) Source
