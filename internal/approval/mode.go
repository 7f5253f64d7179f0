package approval

import "fmt"

// A Mode says up to which level calls may run without asking.
type Mode string

// The modes.
const (
	ReadOnly       Mode = "read-only"          // look at the workspace
	Plan           Mode = "plan"               // as ReadOnly; the model is asked to plan
	WorkspaceWrite Mode = "workspace-write"    // also change files in it
	Prompt         Mode = "prompt"             // ask for everything
	FullAccess     Mode = "danger-full-access" // everything
)

// Modes is all modes, the most careful first.
var Modes = []Mode{ReadOnly, Plan, WorkspaceWrite, Prompt, FullAccess}

// ParseMode reads a mode's name; an unknown one is an error that lists them.
func ParseMode(name string) (Mode, error) {
	for _, m := range Modes {
		if string(m) == name {
			return m, nil
		}
	}
	return "", fmt.Errorf("unknown permission mode %q: expected one of %v", name, Modes)
}

// Covers says whether calls such as r may run in m without asking.
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

// Needed is the least mode that covers r: ReadOnly, WorkspaceWrite or FullAccess. Paths
// outside the allowed roots need full access, even to read; so do programs, the network,
// and whatever has no level.
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
