package sandbox

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// LookPath returns the path of a program: an absolute one as it is, or that of a name in the absolute folders of a PATH. The
// folder of a project is never searched. On Windows the name may lack its extension.
func LookPath(name, path string) (string, error) {
	if filepath.IsAbs(name) {
		for _, candidate := range executableNames(runtime.GOOS, name) {
			if isExecutable(candidate) {
				return candidate, nil
			}
		}
		return name, nil // its start fails, and reports why
	}
	if strings.ContainsRune(filepath.ToSlash(name), '/') {
		return "", fmt.Errorf("the program %s is neither a name to be found on PATH nor an absolute path", name)
	}
	for _, dir := range filepath.SplitList(path) {
		for _, candidate := range executableNames(runtime.GOOS, name) {
			candidate = filepath.Join(dir, candidate)
			if filepath.IsAbs(dir) && isExecutable(candidate) {
				return candidate, nil
			}
		}
	}
	return "", fmt.Errorf("the program %s was not found on PATH", name)
}

// executableNames returns the names that a file can have which is called as the program name on a system, the first one first.
func executableNames(system, name string) []string {
	if system != "windows" {
		return []string{name}
	}
	extensions := []string{".com", ".exe", ".bat", ".cmd"}
	if slices.Contains(extensions, strings.ToLower(filepath.Ext(name))) {
		return []string{name}
	}
	var names []string
	for _, extension := range extensions {
		names = append(names, name+extension)
	}
	return names
}

// isExecutable reports whether path is a file that this user may execute. On Windows files have no such permission.
func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || runtime.GOOS == "windows")
}

// WithVariables returns an environment with further variables in the place of those of the same name.
func WithVariables(environ []string, more map[string]string) []string {
	all := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		for other := range more {
			if sameVariable(name, other) {
				return true
			}
		}
		return false
	})
	for _, name := range slices.Sorted(maps.Keys(more)) {
		all = append(all, name+"="+more[name])
	}
	return all
}

// Variable returns the value of a variable of an environment, the last one; "": it has none.
func Variable(environ []string, name string) (value string) {
	for _, entry := range environ {
		if n, v, ok := strings.Cut(entry, "="); ok && sameVariable(n, name) {
			value = v
		}
	}
	return value
}

// sameVariable reports whether two names are those of the same variable: on Windows case does not count.
func sameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
