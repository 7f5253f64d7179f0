package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
)

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

// valid says what is wrong with p itself.
func (p Policy) valid() error {
	if p.Level != ReadOnly && p.Level != WorkspaceWrite && p.Level != Full {
		return fmt.Errorf("the sandbox policy %q is none: the command is not run", p.Level)
	}
	for _, path := range slices.Concat(p.Writable, p.Protected) {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return fmt.Errorf("the sandbox policy names %q, which is not an absolute, clean path", path)
		}
	}
	return nil
}
