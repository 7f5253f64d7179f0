package acp

import (
	"context"
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// defaultMode is the mode of new sessions.
const defaultMode = "ask"

// setMode changes the mode of settings, and the sandbox to what the mode brings.
func setMode(s *event.Settings, mode string) {
	s.Mode, s.Asking, s.Sandbox.Kind = mode, approval.AskUnlessTrusted, approval.SandboxWorkspace
}

// setMode changes the mode of a session (session/set_mode).
func (c *conn) setMode(_ context.Context, id jsonrpc.ID, p *SetModeParams) {
	s, err := c.find(p.SessionID)
	if err != nil {
		c.fail(id, err)
		return
	}
	if !slices.ContainsFunc(s.modes().AvailableModes, func(m Mode) bool { return m.ID == p.ModeID }) {
		c.fail(id, invalidMember("modeId", "is none of availableModes"))
		return
	}
	c.fail(id, errInternal)
}

// setConfigOption changes an option of a session (session/set_config_option).
func (c *conn) setConfigOption(_ context.Context, id jsonrpc.ID, p *SetConfigOptionParams) {
	c.fail(id, errInternal)
}

// modes returns the modes of the session.
func (s *session) modes() *Modes { return &Modes{defaultMode, []Mode{{ID: defaultMode, Name: "Ask"}}} }

// configOptions returns the options of the session.
func (s *session) configOptions() []ConfigOption { return []ConfigOption{} }
