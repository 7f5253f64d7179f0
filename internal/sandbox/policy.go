package sandbox

import "fmt"

// A Policy is how a command is confined. The zero Policy is none, so that a forgotten one
// is refused.
type Policy struct {
	Level     Level
	Writable  []string // of WorkspaceWrite: folders it may write below; absolute, symlinks resolved
	Protected []string // what it may not write even there: files or folders, absolute, symlinks resolved; they need not exist
	Network   bool     // it may use the network; Full always may
}

// Level is what kind of confinement a Policy asks for.
type Level uint8

// The levels. Whatever the level, a command may read what this process may read.
const (
	ReadOnly       Level = iota + 1 // it may change nothing
	WorkspaceWrite                  // it may change what is below Writable, but for Protected and folders of git
	Full                            // it may do what this process may do
)

var levelNames = [...]string{"unset", ReadOnly: "read-only", WorkspaceWrite: "workspace-write", Full: "full"}

// String is the level's name in settings and messages.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("level %d", uint8(l))
}

// Check says why commands cannot run under p; nil if they can.
func (p Policy) Check() error {
	if p.Level == Full {
		return nil
	}
	return fmt.Errorf("commands cannot be confined yet: the sandbox policy %q is refused, only %q can be used", p.Level, Full)
}
