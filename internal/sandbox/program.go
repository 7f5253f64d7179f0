package sandbox

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LookPath returns the path of a program: an absolute one as it is, or that of a name in the absolute folders of a PATH. The
// folder of a project is never searched.
func LookPath(name, path string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.ContainsRune(name, filepath.Separator) {
		return "", fmt.Errorf("the program %s is neither a name to be found on PATH nor an absolute path", name)
	}
	for _, dir := range filepath.SplitList(path) {
		candidate := filepath.Join(dir, name)
		info, err := os.Stat(candidate)
		if filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("the program %s was not found on PATH", name)
}

// WithVariables returns an environment with further variables in the place of those of the same name.
func WithVariables(environ []string, more map[string]string) []string {
	all := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := more[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(more)) {
		all = append(all, name+"="+more[name])
	}
	return all
}

// Variable returns the value of a variable of an environment, the last one; "": it has none.
func Variable(environ []string, name string) (value string) {
	for _, entry := range environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}
