package tool

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspace"
)

// systemFolders are where programs are installed for all users of a machine, or for all
// projects of one.
var systemFolders = []string{
	"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/snap/bin", "/run/current-system/sw/bin",
	"/opt/homebrew/bin", "/opt/local/bin", "/home/linuxbrew/.linuxbrew/bin",
}

// nixStore has all programs of some systems; it cannot be written.
const nixStore = "/nix/store"

// builtins are the programs among those that are trusted that every shell runs itself.
var builtins = []string{"cd", "echo", "false", "pwd", "true"}

// TrustsCommand reports whether a shell line only reads, see [approval.TrustedBy]: its programs are the system's, and so is the shell that
// runs it.
func (e *Env) TrustsCommand(command string) bool {
	return isSystem(shell.Path()) && approval.TrustedBy(command, e.SystemProgram)
}

// isSystem reports whether a program at a path is the system's. On Windows each program has a folder of its own.
func isSystem(program string) bool {
	if runtime.GOOS == "windows" || slices.Contains(systemFolders, filepath.Dir(program)) {
		return true
	}
	real, err := filepath.EvalSymlinks(program)
	return err == nil && workspace.Below(nixStore, real)
}

// SystemProgram reports whether a command runs its shell's own program or the system's for
// name, and not one that a project brings along in a folder that is earlier in PATH.
func (e *Env) SystemProgram(name string) bool {
	if slices.Contains(builtins, name) {
		return true
	}
	for _, environ := range e.environs() {
		if !systemFirst(pathOf(environ), name) {
			return false
		}
	}
	return true
}

// environs are the environments that a command may get.
func (e *Env) environs() [][]string {
	all := [][]string{e.Environ}
	if left := e.Shell.Left(); left != nil {
		all = append(all, left)
	}
	return all
}

// pathOf returns the value of PATH; the last one counts.
func pathOf(environ []string) (path string) {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	return path
}

// systemFirst reports whether the first program of that name in path is the system's. Without
// a PATH shells have one of their own, of system folders.
func systemFirst(path, name string) bool {
	if path == "" {
		return true
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			return false // it depends on where the command runs
		}
		program := filepath.Join(folder, name)
		if info, err := os.Stat(program); err != nil || info.IsDir() {
			continue
		}
		return isSystem(program)
	}
	return true // there is none
}
