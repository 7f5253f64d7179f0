package approval

import "fmt"

// A Mode is the level up to which calls may run without approval.
type Mode string

// The modes.
const (
	ReadOnly       Mode = "read-only"          // read the workspace
	Plan           Mode = "plan"               // as ReadOnly; the model is asked to plan
	WorkspaceWrite Mode = "workspace-write"    // also change files in it
	Prompt         Mode = "prompt"             // everything needs approval
	FullAccess     Mode = "danger-full-access" // everything
)

// Modes is all modes, the strictest first.
var Modes = []Mode{ReadOnly, Plan, WorkspaceWrite, Prompt, FullAccess}

// ParseMode returns the mode with a name; the error for an unknown one lists all modes.
func ParseMode(name string) (Mode, error) {
	for _, m := range Modes {
		if string(m) == name {
			return m, nil
		}
	}
	return "", fmt.Errorf("unknown permission mode %q: expected read-only, plan, workspace-write, prompt or danger-full-access", name)
}

// Covers reports whether r may run in m without approval.
func (m Mode) Covers(r Request) bool {
	needed := Needed(r)
	switch m {
	case FullAccess:
		return true
	case WorkspaceWrite:
		return needed == ReadOnly || needed == WorkspaceWrite
	case ReadOnly, Plan:
		return needed == ReadOnly
	}
	return false
}

// Needed returns the least mode that covers r: ReadOnly, WorkspaceWrite or FullAccess. Paths
// outside the allowed roots need full access, even to read; so do programs, the network,
// and a request without a level.
func Needed(r Request) Mode {
	if _, outside := r.Outside(); outside || r.URL != "" {
		return FullAccess
	}
	switch r.Level {
	case Read:
		return ReadOnly
	case Write:
		return WorkspaceWrite
	}
	return FullAccess
}
