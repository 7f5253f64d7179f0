package flint

import (
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// table returns what each message of a client needs.
var table = lazy.Value[rights.Table]{New: func() rights.Table {
	return rights.NewTable(
		rights.Of(rights.Viewer, "initialize", "thread/list", "model/list", "config/list", "config/read"),
		rights.Of(rights.Reviewer, rights.Answer),
		rights.With(rights.Driver, "thread/start", func(p *ThreadStartParams) []rights.Need {
			return append(needs(p.Sandbox, p.McpServers), rights.OfFolder(string(p.Cwd)))
		}),
		rights.With(rights.Driver, "thread/resume", func(p *ThreadResumeParams) []rights.Need {
			return append(needs(p.Sandbox, p.McpServers), rights.OfFolder(string(p.Cwd)))
		}),
		rights.With(rights.Driver, "turn/start", func(p *TurnStartParams) []rights.Need {
			return append(append(needs(p.SandboxPolicy, nil), rights.OfFolder(string(p.Cwd))), p.Input.needs()...)
		}),
		rights.Of(rights.Driver, "thread/archive", "turn/interrupt", "config/set"),
	)
}}

// needs returns what the settings of a thread need.
func needs(sandbox *SandboxPolicy, servers map[string]McpServer) []rights.Need {
	var all []rights.Need
	if sandbox != nil {
		all = rights.OfSandbox(sandbox.settings())
	}
	if len(servers) > 0 {
		all = append(all, rights.Need{Level: rights.User, What: "with mcpServers"})
	}
	return all
}

// needs returns what the files of a prompt need.
func (in UserInputs) needs() []rights.Need {
	var all []rights.Need
	for _, input := range in {
		if image, ok := input.(LocalImageInput); ok {
			all = append(all, rights.OfFile(image.Path))
		}
	}
	return all
}

// guard returns what decides about the lines of the client.
func (c *conn) guard() *rights.Guard {
	read := rights.Frames{Options: frames, Session: "threadId", Params: func(f jsonrpc.Frame) (any, error) { return methods.Get().Params(f, frames) }}
	return &rights.Guard{Client: c.cfg.Rights, Table: table.Get(), Read: read.Read, Refuse: func(m rights.Message, r *rights.Refusal) {
		if f := m.Origin.(jsonrpc.Frame); f.Kind == jsonrpc.Request {
			c.refuse(&refusal{f.ID, f.Method, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: r.Error()}})
		}
	}}
}
