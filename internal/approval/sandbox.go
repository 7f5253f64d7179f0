package approval

import "slices"

// A Sandbox says what a call may touch that nobody approved.
type Sandbox struct {
	Kind    SandboxKind `json:"kind,omitzero"`
	Roots   []string    `json:"roots,omitzero"`   // of SandboxWorkspace: writable folders besides the workspace; absolute, symlinks resolved
	Network bool        `json:"network,omitzero"` // of SandboxWorkspace and SandboxExternal: the network may be used
}

// SandboxKind is how much a Sandbox allows.
type SandboxKind string

// The kinds.
const (
	SandboxReadOnly  SandboxKind = "read-only"       // read files
	SandboxWorkspace SandboxKind = "workspace-write" // also change files below the workspace, Roots and the temporary folders
	SandboxExternal  SandboxKind = "external"        // everything but, unless allowed, the network: somebody else confines this process
	SandboxNone      SandboxKind = "full-access"     // everything
)

// Equal says whether both are the same.
func (s Sandbox) Equal(o Sandbox) bool {
	return s.Kind == o.Kind && s.Network == o.Network && slices.Equal(s.Roots, o.Roots)
}

// Networked says whether calls may use the network.
func (s Sandbox) Networked() bool {
	switch s.Kind {
	case SandboxNone:
		return true
	case SandboxWorkspace, SandboxExternal:
		return s.Network
	}
	return false
}

// Confining says whether commands have to be confined.
func (s Sandbox) Confining() bool { return s.Kind != SandboxNone && s.Kind != SandboxExternal }

// Asking says for which calls a person is asked.
type Asking string

// The ways.
const (
	AskNever         Asking = "never"          // what the sandbox does not allow is refused
	AskUnlessTrusted Asking = "unless-trusted" // for whatever is not known to be harmless
	AskAlways        Asking = "always"         // for everything but looking
)
