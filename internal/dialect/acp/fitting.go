package acp

import (
	"cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// This file has how clients are shown sessions that other protocols have made. Their own settings decide about calls.

// fittingModes are the modes that fit those of protocols without a sandbox to choose.
var fittingModes = map[approval.Mode]string{
	approval.ReadOnly: modeAsk, approval.Plan: modePlan, approval.WorkspaceWrite: modeAutoEdit, approval.Prompt: modeAsk, approval.FullAccess: modeFullAccess,
}

// fittingMode returns the mode that comes nearest to what the settings of another protocol allow, and allows no more.
func fittingMode(s event.Settings) string {
	switch {
	case s.Asking == "":
		return cmp.Or(fittingModes[approval.Mode(s.Mode)], modeAsk)
	case s.Asking == approval.AskNever && s.Sandbox.Kind == approval.SandboxNone:
		return modeFullAccess
	case s.Asking == approval.AskNever, s.Asking == approval.AskOnRequest:
		return modeAuto
	}
	return modeAsk
}
