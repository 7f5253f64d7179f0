package skill

import (
	"os"
	"path/filepath"
	"slices"
)

// ProjectFolder is where a folder of a project, and a home folder, have their skills.
const ProjectFolder = ".agents/skills"

// Places says where skills are looked for. A folder that is "" counts as none.
type Places struct {
	Dir   string // where the session works, absolute
	Home  string // the user's home folder, absolute
	State string // the program's own folder, absolute
	// More are folders like ProjectFolder that are looked into as well.
	More []string
}

// Roots is the folders to look in, whether or not they exist: those of the project, from
// the top of its repository down to Dir, then those of the program and of the user.
func (p Places) Roots() []string {
	names := append([]string{ProjectFolder}, p.More...)
	var roots []string
	for _, dir := range project(p.Dir) {
		for _, name := range names {
			roots = append(roots, filepath.Join(dir, name))
		}
	}
	if p.State != "" {
		roots = append(roots, filepath.Join(p.State, "skills"))
	}
	if p.Home != "" {
		for _, name := range names {
			roots = append(roots, filepath.Join(p.Home, name))
		}
	}
	return unique(roots)
}

// project is the folders from the top of the repository that dir lies in down to dir; only
// dir, if it lies in none.
func project(dir string) []string {
	if dir == "" {
		return nil
	}
	var folders []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		folders = append(folders, at)
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
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
