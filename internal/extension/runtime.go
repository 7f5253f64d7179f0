package extension

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/sandbox"
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

// lookUp returns the path of a program, which is there, by the PATH of an environment.
func lookUp(name string, environ []string) (string, error) {
	path, err := sandbox.LookPath(name, sandbox.Variable(environ, "PATH"))
	if err != nil {
		return "", fmt.Errorf("extensions: %w", err)
	}
	if !isProgram(path) {
		return "", errors.New("the program for extensions, " + path + ", is not there, or not to be run")
	}
	return path, nil
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
