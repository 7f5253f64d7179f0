package skill

import (
	"path/filepath"
	"slices"

	"parley.dev/parley/internal/gitroot"
)

// projectFolders are where a folder of a project, and a home folder, have their skills.
var projectFolders = []string{".agents/skills", ".claude/skills"}

// Places says where skills are looked for. A folder that is "" counts as none.
type Places struct {
	Dir   string // where the session works, absolute
	Home  string // the user's home folder, absolute
	State string // the program's own folder, absolute
	// Paths are further folders, absolute.
	Paths []string
}

// Roots returns the folders to look in, whether or not they exist: those of the project, from
// the top of its repository down to Dir, then those of the program and of the user, then Paths.
func (p Places) Roots() []string {
	var roots []string
	for _, dir := range project(p.Dir) {
		for _, name := range projectFolders {
			roots = append(roots, filepath.Join(dir, name))
		}
	}
	if p.State != "" {
		roots = append(roots, filepath.Join(p.State, "skills"))
	}
	if p.Home != "" {
		for _, name := range projectFolders {
			roots = append(roots, filepath.Join(p.Home, name))
		}
	}
	return unique(append(roots, p.Paths...))
}

// project returns the folders from the top of the repository that dir lies in down to dir; only
// dir, if it lies in none.
func project(dir string) []string {
	if dir == "" {
		return nil
	}
	var folders []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		folders = append(folders, at)
		if gitroot.Has(at) {
			slices.Reverse(folders)
			return folders
		}
		if filepath.Dir(at) == at {
			return folders[:1]
		}
	}
}

// unique keeps the first of each.
func unique(roots []string) []string {
	var kept []string
	for _, root := range roots {
		if !slices.Contains(kept, root) {
			kept = append(kept, root)
		}
	}
	return kept
}
