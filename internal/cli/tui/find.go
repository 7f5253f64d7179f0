package tui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is the name of the program of the console.
const program = "parley-console"

// find returns the path of the program of the console: beside parley, beside the file that parley is a link to, or in PATH.
// Beside a program of a release, such as parley-1.2.3-linux-amd64, it may have the name of that release.
func find(parley string) (string, error) {
	places := []string{parley}
	if resolved, err := filepath.EvalSymlinks(parley); err == nil {
		places = append(places, resolved)
	}
	for _, place := range places {
		for _, name := range []string{program, program + strings.TrimPrefix(filepath.Base(place), "parley")} {
			path := filepath.Join(filepath.Dir(place), name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", errNoConsole
	}
	return filepath.Abs(path)
}
