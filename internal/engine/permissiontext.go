package engine

import (
	"strings"

	"parley.dev/parley/internal/approval"
)

// This file contains the descriptions of permissions that models read.

// modeText describes a mode; needs ends the sentence about what it does not cover.
func modeText(mode approval.Mode, needs string) string {
	switch mode {
	case approval.Plan:
		return "Plan mode: look and plan, but change nothing until the user leaves this mode. Commands, and reading outside the workspace," + needs
	case approval.ReadOnly:
		return "Permissions: you may read the workspace. Changes, commands and reading elsewhere" + needs
	case approval.WorkspaceWrite:
		return "Permissions: you may read and change files in the workspace. Commands that are not granted, and files elsewhere," + needs
	case approval.FullAccess:
		return "Permissions: every call is allowed."
	}
	return "Permissions: all calls that are not granted" + needs
}

// sandboxText describes what commands may touch.
func sandboxText(s approval.Sandbox) string {
	network := "They have no network."
	if s.Networked() {
		network = "They may use the network."
	}
	switch s.Kind {
	case approval.SandboxReadOnly:
		return "Commands run in a sandbox that lets them read files and change none. " + network
	case approval.SandboxWorkspace:
		where := "the workspace"
		if temp := tempText(s); temp != "" {
			where += " and " + temp
		}
		if len(s.Roots) > 0 {
			where += " and " + strings.Join(s.Roots, ", ")
		}
		return "Commands run in a sandbox that lets them change files only below " + where + ", but not git's own: `git commit` fails in it. " + network
	}
	if !s.Networked() {
		return "Commands have no network."
	}
	return "Commands run without a sandbox."
}

// tempText names the temporary folders that a sandbox opens; "": none.
func tempText(s approval.Sandbox) string {
	switch {
	case !s.NoTempDir && !s.NoSlashTmp:
		return "the temporary folders"
	case !s.NoTempDir:
		return "$TMPDIR"
	case !s.NoSlashTmp:
		return "/tmp"
	}
	return ""
}

// askingText describes which calls are asked about, besides the sandbox.
func askingText(asking approval.Asking, needs string) string {
	switch asking {
	case approval.AskNever:
		return " What it does not allow is refused."
	case approval.AskOnRequest:
		return " Calls beyond that" + needs
	case approval.AskUnlessTrusted:
		return " Calls that are not known to be harmless" + needs
	case approval.AskAlways:
		return " All calls but looking" + needs
	}
	return ""
}

// refusedText describes which approvals are not requested.
func refusedText(refused []approval.Subject) string {
	names := map[approval.Subject]string{
		approval.SubjectSandbox: "commands and changes of files", approval.SubjectNetwork: "addresses",
		approval.SubjectServer: "tool servers", approval.SubjectHook: "what a hook wants approved",
	}
	var all []string
	for _, kind := range refused {
		all = append(all, names[kind])
	}
	if len(all) == 0 {
		return ""
	}
	return " What needs an approval is refused, not asked about, if it concerns " + strings.Join(all, ", ") + "."
}
