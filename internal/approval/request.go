package approval

import "fmt"

// Level is how much a call may change. Levels are ordered: Read < Write < Execute < Admin.
type Level uint8

// The levels.
const (
	Read    Level = iota + 1 // looks at files
	Write                    // changes files or the session's own notes
	Execute                  // runs a program, or reaches the network
	Admin                    // changes what may be approved
)

var levelNames = [...]string{Read: "read", Write: "write", Execute: "execute", Admin: "admin"}

// String is the level's name in journals and settings.
func (l Level) String() string {
	if int(l) < len(levelNames) && l > 0 {
		return levelNames[l]
	}
	return "unknown"
}

// A Request is what a tool call needs: exactly this is shown, approved and then run.
type Request struct {
	Tool    string `json:"tool"`           // the name the model called
	Level   Level  `json:"level,omitzero"` // before Outside is looked at; never 0
	Paths   []Path `json:"paths,omitzero"`
	Command string `json:"command,omitzero"`  // shell text
	Dir     string `json:"dir,omitzero"`      // where Command runs; absolute
	AsShell bool   `json:"as_shell,omitzero"` // what holds for commands of the shell tool holds, too
	URL     string `json:"url,omitzero"`
	Server  string `json:"server,omitzero"`  // the tool server that the call goes to
	Summary string `json:"summary,omitzero"` // one line for people
}

// A Path is a file or folder a call touches.
type Path struct {
	Path    string `json:"path"`             // absolute, symlinks of existing parents resolved
	Shown   string `json:"shown,omitzero"`   // as the model wrote it
	Write   bool   `json:"write,omitzero"`   // it may be changed
	Outside bool   `json:"outside,omitzero"` // not below the workspace, or Protected
	// Protected is what no root opens: the program's own state, and to write the folders of git.
	Protected bool `json:"protected,omitzero"`
	Recursive bool `json:"recursive,omitzero"` // the call goes through all that lies below
}

// All is p with all that lies below.
func (p Path) All() Path {
	p.Recursive = true
	return p
}

// Outside is the first path that lies outside the allowed roots.
func (r Request) Outside() (Path, bool) {
	for _, p := range r.Paths {
		if p.Outside {
			return p, true
		}
	}
	return Path{}, false
}

// levelled says whether r has a level at which calls work; Admin is about the approving itself.
func (r Request) levelled() bool { return r.Level >= Read && r.Level <= Execute }

// MarshalText writes the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a level's name; an unknown one is an error.
func (l *Level) UnmarshalText(text []byte) error {
	for i, name := range levelNames {
		if name != "" && name == string(text) {
			*l = Level(i)
			return nil
		}
	}
	return fmt.Errorf("unknown approval level %q", text)
}
