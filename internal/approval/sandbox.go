package approval

import "slices"

// A Sandbox is the limits of calls that the user did not approve.
type Sandbox struct {
	Kind    SandboxKind `json:"kind,omitzero"`
	Roots   []string    `json:"roots,omitzero"`   // of SandboxWorkspace: writable folders besides the workspace; absolute, symlinks resolved
	Network bool        `json:"network,omitzero"` // of SandboxWorkspace and SandboxExternal: the network may be used

	// Of SandboxWorkspace: temporary folders that are not writable on that account. One that is below the workspace, a root
	// or the other temporary folder is writable all the same.
	NoTempDir  bool `json:"no_temp_dir,omitzero"`  // the folder that the environment names for temporary files
	NoSlashTmp bool `json:"no_slash_tmp,omitzero"` // /tmp
}

// A SandboxKind is how much a Sandbox allows.
type SandboxKind string

// The kinds.
const (
	SandboxReadOnly  SandboxKind = "read-only"       // read files
	SandboxWorkspace SandboxKind = "workspace-write" // also change files below the workspace, Roots and temporary folders
	SandboxExternal  SandboxKind = "external"        // everything except, unless allowed, the network: another program confines this process
	SandboxNone      SandboxKind = "full-access"     // everything
)

// Equal reports whether s and o are the same.
func (s Sandbox) Equal(o Sandbox) bool {
	return s.Kind == o.Kind && s.Network == o.Network && s.NoTempDir == o.NoTempDir && s.NoSlashTmp == o.NoSlashTmp && slices.Equal(s.Roots, o.Roots)
}

// Networked reports whether s allows the network.
func (s Sandbox) Networked() bool {
	switch s.Kind {
	case SandboxNone:
		return true
	case SandboxWorkspace, SandboxExternal:
		return s.Network
	}
	return false
}

// Confining reports whether commands have to be confined.
func (s Sandbox) Confining() bool { return s.Kind != SandboxNone && s.Kind != SandboxExternal }

// Known reports whether k is one of the kinds.
func (k SandboxKind) Known() bool {
	return slices.Contains([]SandboxKind{SandboxReadOnly, SandboxWorkspace, SandboxExternal, SandboxNone}, k)
}

// An Asking says which calls need the user's approval.
type Asking string

// The ways.
const (
	AskNever         Asking = "never"          // none: a call that the sandbox does not allow is refused
	AskOnRequest     Asking = "on-request"     // those that the sandbox does not allow; commands run confined first
	AskUnlessTrusted Asking = "unless-trusted" // those that are not known to be harmless
	AskAlways        Asking = "always"         // all but reading
)

// Known reports whether a is one of the ways.
func (a Asking) Known() bool {
	return slices.Contains([]Asking{AskNever, AskOnRequest, AskUnlessTrusted, AskAlways}, a)
}
