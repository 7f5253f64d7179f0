package acp

import (
	"cmp"
	"context"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// initialize opens the connection. A later one replaces the capabilities of the client.
func (c *conn) initialize(_ context.Context, id jsonrpc.ID, p *InitializeParams) {
	c.opened(p.ClientCapabilities, p.ClientInfo.Name)
	c.reply(id, InitializeResult{
		ProtocolVersion: ProtocolVersion,
		AgentInfo:       Implementation{Name: "parley", Title: "Parley", Version: c.cfg.Version},
		AgentCapabilities: AgentCapabilities{
			LoadSession:         true,
			PromptCapabilities:  PromptCapabilities{Image: true, EmbeddedContext: true},
			MCPCapabilities:     MCPCapabilities{HTTP: true},
			SessionCapabilities: c.sessionCapabilities(),
			Auth:                c.authCapabilities(),
		},
		AuthMethods: c.authMethods(),
		Meta:        AgentMeta{Steering: SteeringSupport{true}, Parley: ParleySupport{1}},
	})
}

// opened applies the capabilities of the client to the connection and its sessions.
func (c *conn) opened(caps ClientCapabilities, name string) {
	c.initialized, c.caps = true, caps
	c.client.Name = cmp.Or(name, profile)
	c.discover()
	c.forms.Store(caps.Elicitation.Form != nil)
	for _, s := range c.sessions {
		s.adapt()
	}
}

// sessionCapabilities returns the methods of sessions that the flags open.
func (c *conn) sessionCapabilities() SessionCapabilities {
	var s SessionCapabilities
	if c.cfg.Flags.Unstable {
		s.Fork, s.Archive, s.Status, s.Title = &Marker{}, &Marker{}, &Marker{}, &Marker{}
	}
	return s
}
