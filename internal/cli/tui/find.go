package tui

import (
	"os"
	"os/exec"
	"path/filepath"
)

// program is the name of the program of the console.
const program = "parley-console"

// find returns the path of the program of the console: beside parley, beside the file that parley is a link to, or in PATH.
func find(parley string) (string, error) {
	folders := []string{filepath.Dir(parley)}
	if resolved, err := filepath.EvalSymlinks(parley); err == nil {
		folders = append(folders, filepath.Dir(resolved))
	}
	for _, folder := range folders {
		path := filepath.Join(folder, program)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", errNoConsole
	}
	return filepath.Abs(path)
}
