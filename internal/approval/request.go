package approval

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Level is how much a call may change. Levels are ordered: Read < Write < Execute < Admin.
type Level uint8

// The levels.
const (
	Read    Level = iota + 1 // reads files
	Write                    // changes files or the session's own notes
	Execute                  // runs a program, or reaches the network
	Admin                    // changes what may be approved
)

var levelNames = [...]string{Read: "read", Write: "write", Execute: "execute", Admin: "admin"}

// String returns the level's name in journals and settings.
func (l Level) String() string {
	if int(l) < len(levelNames) && l > 0 {
		return levelNames[l]
	}
	return "unknown"
}

// A Request is what a tool call needs. The user sees and approves exactly this, and exactly this runs.
type Request struct {
	Tool    string `json:"tool"`           // the name the model called
	Level   Level  `json:"level,omitzero"` // without regard to Outside; never 0
	Paths   []Path `json:"paths,omitzero"`
	Command string `json:"command,omitzero"` // shell text
	Dir     string `json:"dir,omitzero"`     // where Command runs; absolute
	// Workspace is the folder in which a grant for a command covers Command: in another Dir a grant for that folder is needed too.
	// It is not stored. "": grants for commands cover it in every folder.
	Workspace string `json:"-"`
	AsShell   bool   `json:"as_shell,omitzero"` // the rules for commands of the shell tool apply
	// Unconfined reports that Command may run outside of the sandbox once it is allowed: the program that runs it decides that.
	Unconfined bool `json:"unconfined,omitzero"`
	// Escalate reports that the model requests to run Command outside of the sandbox; Justification is the model's reason.
	Escalate      bool   `json:"escalate,omitzero"`
	Justification string `json:"justification,omitzero"`

	URL     string `json:"url,omitzero"`
	Server  string `json:"server,omitzero"`  // the tool server that receives the call
	Summary string `json:"summary,omitzero"` // one line for the user
	// Trusted reports that Server may do without an approval what no sandbox confines: the configuration of the user says so, or the tool is
	// one of the client or of an extension.
	Trusted bool `json:"-"`
}

// A Path is a file or folder a call touches.
type Path struct {
	Path    string `json:"path"`             // absolute, symlinks of existing parents resolved
	Shown   string `json:"shown,omitzero"`   // the display name: as the model wrote it
	Write   bool   `json:"write,omitzero"`   // it may be changed
	Outside bool   `json:"outside,omitzero"` // not below the workspace, or Protected
	// Protected paths are opened by no root: the program's own state, and, for writing, the
	// folders and hooks of git and the start-up files of the user.
	Protected bool `json:"protected,omitzero"`
	Recursive bool `json:"recursive,omitzero"` // the call uses everything below it
}

// All returns p with Recursive set.
func (p Path) All() Path {
	p.Recursive = true
	return p
}

// Outside returns the first path that is outside the allowed roots.
func (r Request) Outside() (Path, bool) {
	for _, p := range r.Paths {
		if p.Outside {
			return p, true
		}
	}
	return Path{}, false
}

// Same reports whether r and o are for the same: tool, level, command, folder and sandbox, URL, server, and paths, in any order.
// It does not compare how paths are displayed, nor the summaries and justifications.
func (r Request) Same(o Request) bool {
	return r.Tool == o.Tool && r.Level == o.Level && r.Command == o.Command && r.Dir == o.Dir && r.AsShell == o.AsShell && r.Unconfined == o.Unconfined &&
		r.Escalate == o.Escalate && r.URL == o.URL && r.Server == o.Server && slices.Equal(r.uses(), o.uses())
}

// A pathUse is what a request does with a path.
type pathUse struct {
	path             string
	write, recursive bool
}

// uses returns what r does with its paths, sorted.
func (r Request) uses() []pathUse {
	var all []pathUse
	for _, p := range r.Paths {
		all = append(all, pathUse{filepath.Clean(p.Path), p.Write, p.Recursive})
	}
	flag := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	slices.SortFunc(all, func(a, b pathUse) int {
		return cmp.Or(strings.Compare(a.path, b.path), flag(a.write)-flag(b.write), flag(a.recursive)-flag(b.recursive))
	})
	return slices.Compact(all)
}

// Complete reports whether r says everything that a user decides about. Otherwise it depends on the input of the call:
// the arguments for a tool of a server, or what a tool without paths does.
func (r Request) Complete() bool {
	return r.Server == "" && (r.Command != "" || r.URL != "" || len(r.Paths) > 0)
}

// levelled reports whether r has the level of a call; Admin is the level of changing approvals.
func (r Request) levelled() bool { return r.Level >= Read && r.Level <= Execute }

// MarshalText writes the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText parses a level's name; an unknown one is an error.
func (l *Level) UnmarshalText(text []byte) error {
	for i, name := range levelNames {
		if name != "" && name == string(text) {
			*l = Level(i)
			return nil
		}
	}
	return fmt.Errorf("unknown approval level %q", text)
}
