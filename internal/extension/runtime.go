package extension

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// errNoRuntime is what is wrong where extensions cannot run at all.
var errNoRuntime = errors.New("extensions need Node.js (20 or later) or Bun, and neither was found on PATH")

// runtimeFor returns the program that runs modules: the one that is configured; else Bun for
// TypeScript where it is there, since it reads it by itself; else Node.js, else Bun.
func runtimeFor(asked string, environ, modules []string) (string, error) {
	if asked != "" {
		return lookUp(asked, environ)
	}
	names := []string{"node", "bun"}
	if slices.ContainsFunc(modules, func(m string) bool { return strings.HasSuffix(filepath.Ext(m), "ts") || filepath.Ext(m) == ".tsx" }) {
		names = []string{"bun", "node"}
	}
	for _, name := range names {
		if path, err := lookUp(name, environ); err == nil {
			return path, nil
		}
	}
	return "", errNoRuntime
}

// lookUp finds a program on the PATH of an environment.
func lookUp(name string, environ []string) (string, error) {
	if filepath.IsAbs(name) {
		if !isProgram(name) {
			return "", errors.New("the program for extensions, " + name + ", is not there, or not to be run")
		}
		return name, nil
	}
	search := ""
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			search = value
		}
	}
	for _, dir := range filepath.SplitList(search) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && isProgram(path) {
			return path, nil
		}
	}
	return "", errors.New("the program for extensions, " + name + ", was not found on PATH")
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
