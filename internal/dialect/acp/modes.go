package acp

import (
	"context"
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// CheckMode returns why a mode cannot be that of new sessions; "" is the default one.
func CheckMode(id string) error {
	if _, known := findPermissionMode(id); known || id == "" {
		return nil
	}
	var ids []string
	for _, m := range permissionModes {
		ids = append(ids, m.id)
	}
	return fmt.Errorf("unknown mode %q: expected one of %s", id, strings.Join(ids, ", "))
}

// setMode makes the mode of that id the one of settings, with the sandbox that it brings.
func setMode(settings *event.Settings, id string) {
	m, _ := findPermissionMode(id) // it was checked
	m.set(settings)
}

// modes returns the modes of the session.
func (s *session) modes() *Modes {
	all := &Modes{CurrentModeID: permissionModeOf(s.eng.State().Settings).id}
	for _, m := range permissionModes {
		all.AvailableModes = append(all.AvailableModes, Mode{m.id, m.name, m.description})
	}
	return all
}

// setMode changes the mode of a session (session/set_mode).
func (c *conn) setMode(_ context.Context, id jsonrpc.ID, p *SetModeParams) {
	s, err := c.find(p.SessionID)
	if err != nil {
		c.fail(id, err)
		return
	}
	if _, known := findPermissionMode(p.ModeID); !known {
		c.fail(id, invalidMember("modeId", "is none of availableModes"))
		return
	}
	s.change(id, func(settings *event.Settings) { setMode(settings, p.ModeID) }, func(settings event.Settings) (update, result any) {
		return ConfigOptionUpdate{"config_option_update", c.models.options(settings)}, Empty{}
	})
}
