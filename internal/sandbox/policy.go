package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
)

// A Policy describes how a command is confined. The zero Policy is invalid, so that a command
// whose Policy was forgotten is refused.
type Policy struct {
	Level     Level
	Writable  []string // with WorkspaceWrite: folders below which it may write; absolute, symlinks resolved
	Protected []string // files or folders that it must not write even there; absolute, symlinks resolved; they need not exist
	// ProtectedFiles are like Protected; one that does not exist is taken to be a file.
	ProtectedFiles []string
	Network        bool // whether it may use the network; Full always may
	// GitFolders lets it also change the .git and the hooks below Writable: it is git, which is run for what it does there.
	GitFolders bool
}

// Equal reports whether both policies have the same limits.
func (p Policy) Equal(other Policy) bool {
	return p.Level == other.Level && p.Network == other.Network && p.GitFolders == other.GitFolders && slices.Equal(p.Writable, other.Writable) &&
		slices.Equal(p.Protected, other.Protected) && slices.Equal(p.ProtectedFiles, other.ProtectedFiles)
}

// Level is the kind of confinement of a Policy.
type Level uint8

// The levels. At every level a command may read what this process may read.
const (
	ReadOnly       Level = iota + 1 // the command may change nothing
	WorkspaceWrite                  // it may change what is below Writable, except Protected and folders of git
	Full                            // it may do everything that this process may do
)

var levelNames = [...]string{"unset", ReadOnly: "read-only", WorkspaceWrite: "workspace-write", Full: "full"}

// String returns the level's name in settings and messages.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("level %d", uint8(l))
}

// valid returns an error if p is invalid on any machine.
func (p Policy) valid() error {
	if p.Level != ReadOnly && p.Level != WorkspaceWrite && p.Level != Full {
		return fmt.Errorf("the sandbox policy %q is none: the command is not run", p.Level)
	}
	for _, path := range slices.Concat(p.Writable, p.Protected, p.ProtectedFiles) {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return fmt.Errorf("the sandbox policy names %q, which is not an absolute, clean path", path)
		}
	}
	return nil
}
