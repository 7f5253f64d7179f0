package acp

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/acp/v2"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// allowAlways is the row of the answer that stores a grant for a workspace.
const allowAlways = rights.Answer + " " + optionAllowAlways

// table returns what each message of a client needs, in both versions.
var table = lazy.Value[rights.Table]{New: func() rights.Table {
	return rights.NewTable(
		rights.Of(rights.Viewer, "initialize", "session/list", "session/close", "session/status", "$/cancel_request"),
		rights.Of(rights.Reviewer, rights.Answer),
		rights.Of(rights.Owner, allowAlways),

		opening("session/new"), opening("session/load"), opening("session/resume"), opening("session/fork"),
		rights.With(rights.Driver, "session/set_mode", func(p *SetModeParams) []rights.Need { return ModeNeeds(p.ModeID) }),
		rights.With(rights.Driver, "session/set_config_option", func(params any) []rights.Need {
			switch p := params.(type) {
			case *SetConfigOptionParams:
				return optionNeeds(p.ConfigID, p.Value)
			case *v2.SetConfigOptionParams:
				return optionNeeds(p.ConfigID, p.Value)
			}
			return []rights.Need{{Level: rights.User}}
		}),
		rights.Of(rights.Driver, "session/prompt", "session/cancel", "_session/steering", "session/set_title", "session/archive", "session/unarchive"),

		rights.Of(rights.Owner, "session/delete"),
		rights.Of(rights.User, "authenticate", "logout", "auth/login", "auth/logout"),
	)
}}

// opening returns the row of a method that makes or opens a session.
func opening(method string) []rights.Row {
	return rights.With(rights.Driver, method, func(params any) []rights.Need {
		var servers int
		var cwd string
		var folders []string
		switch p := params.(type) {
		case *NewSessionParams:
			servers, cwd, folders = len(p.MCPServers), p.Cwd, p.AdditionalDirectories
		case *LoadSessionParams:
			servers, cwd, folders = len(p.MCPServers), p.Cwd, p.AdditionalDirectories
		case *ResumeSessionParams:
			servers, cwd, folders = len(p.MCPServers), p.Cwd, p.AdditionalDirectories
		case *ForkSessionParams:
			servers, cwd, folders = len(p.MCPServers), p.Cwd, p.AdditionalDirectories
		case *v2.NewSessionParams:
			servers, cwd, folders = len(p.MCPServers), p.Cwd, p.AdditionalDirectories
		case *v2.ResumeSessionParams:
			servers, cwd, folders = len(p.MCPServers), p.Cwd, p.AdditionalDirectories
		default:
			return []rights.Need{{Level: rights.User}}
		}
		var needs []rights.Need
		if servers > 0 {
			needs = append(needs, rights.Need{Level: rights.User, What: "with mcpServers"})
		}
		needs = append(needs, rights.OfFolder(cwd))
		for _, dir := range folders {
			needs = append(needs, rights.Need{Path: dir, What: "with the folder " + dir})
		}
		return needs
	})
}

// ModeNeeds returns what a mode needs.
func ModeNeeds(id string) []rights.Need {
	var settings event.Settings
	if m, ok := findPermissionMode(id); ok {
		m.set(&settings)
	}
	return rights.OfSettings(settings)
}

// optionNeeds returns what a value of an option needs.
func optionNeeds(option string, value jsontext.Value) []rights.Need {
	var word string
	if json.Unmarshal(value, &word) != nil {
		return nil // it is refused for that
	}
	switch option {
	case optionMode:
		return ModeNeeds(word)
	case optionSandbox:
		var settings event.Settings
		for _, c := range sandboxChoices {
			if c.id == word {
				settings.Sandbox.Kind = c.kind
			}
		}
		return rights.OfSettings(settings)
	}
	return nil
}

// guard returns what decides about the lines of the client.
func (c *conn) guard() *rights.Guard {
	read := rights.Frames{
		Options: frames, Session: "sessionId", Batches: func() bool { return c.edition.batches() },
		Params: func(f jsonrpc.Frame) (any, error) { return c.edition.methods().params.Params(f, frames) },
	}
	return &rights.Guard{Client: c.cfg.Rights, Table: table.Get(), Read: read.Read, Refuse: func(m rights.Message, r *rights.Refusal) {
		if f := m.Origin.(jsonrpc.Frame); f.Kind == jsonrpc.Request {
			c.fail(f.ID, failure(jsonrpc.CodeInvalidRequest, r.Error(), ErrorData{Reason: "forbidden"}))
		}
	}}
}

// mayGrant reports whether the client may answer with grants that are stored.
func (c *conn) mayGrant() bool { return c.cfg.Rights.May(table.Get().Level(allowAlways)) }
