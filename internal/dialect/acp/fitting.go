package acp

import (
	"cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// This file makes sessions of other protocols ones of this protocol.

// fittingModes are the modes that fit those of protocols without a sandbox to choose.
var fittingModes = map[approval.Mode]string{
	approval.ReadOnly: modeAsk, approval.Plan: modePlan, approval.WorkspaceWrite: modeAutoEdit, approval.Prompt: modeAsk, approval.FullAccess: modeFullAccess,
}

// fillSettings gives a session what it needs in this protocol, and leaves what it has.
func (c *conn) fillSettings(s *event.Settings) {
	s.Model = cmp.Or(s.Model, c.cfg.Flags.Model, c.cfg.Host.DefaultModel())
	if _, own := findPermissionMode(s.Mode); own && s.Sandbox.Kind != "" {
		adopt(s)
		return
	}
	m, _ := findPermissionMode(fittingMode(*s))
	before := s.Sandbox
	before.Network = false // no mode of ours has it
	m.set(s)
	if m.fits(before) {
		s.Sandbox = before
	}
}

// fittingMode returns the mode that comes nearest to what the settings of another protocol allow, and allows no more.
func fittingMode(s event.Settings) string {
	switch {
	case s.Asking == "" && s.Sandbox.Kind == "":
		return cmp.Or(fittingModes[approval.Mode(s.Mode)], modeAsk)
	case s.Asking == approval.AskNever && s.Sandbox.Kind == approval.SandboxNone:
		return modeFullAccess
	case s.Asking == approval.AskNever, s.Asking == approval.AskOnRequest:
		return modeAuto
	}
	return modeAsk
}
