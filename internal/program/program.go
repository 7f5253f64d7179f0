package program

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// ErrNotFound is the error for a program that is in no folder of PATH, or only in those that are passed over.
var ErrNotFound = errors.New("the program was not found")

// distrusted are the folders that are passed over: absolute, without symlinks. They are those of the process, not of one session:
// what commands of one may write, another must not run either.
var distrusted struct {
	sync.RWMutex
	folders []string
}

// Distrust adds folders that tools or commands may write: absolute, without symlinks. The folders for temporary files and the current one
// need not be added. The root is not added: then there would be no programs at all.
func Distrust(folders ...string) {
	known := temporary()
	distrusted.Lock()
	defer distrusted.Unlock()
	for _, folder := range folders {
		if filepath.IsAbs(folder) && filepath.Dir(folder) != folder && !within(folder, distrusted.folders) && !within(folder, known) {
			distrusted.folders = append(slices.Clip(distrusted.folders), folder)
		}
	}
}

// Find returns the absolute path of a program that Parley starts for itself, by the PATH of this process. Programs are passed over that
// lie in a folder that tools or commands may write, or are reached through one. On Windows the name may lack its extension.
func Find(name string) (string, error) {
	return FindIn(name, os.Getenv("PATH"))
}

// FindIn is Find with another PATH.
func FindIn(name, path string) (string, error) {
	unsafe := folders()
	passed := ""
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if leadsThrough(found, unsafe) {
			passed = cmp.Or(passed, found)
			continue
		}
		return found, nil
	}
	if passed != "" {
		return "", fmt.Errorf("%w: %s is passed over, since commands may write it, and there is no other %s on PATH", ErrNotFound, passed, name)
	}
	return "", fmt.Errorf("%w: there is no %s on PATH", ErrNotFound, name)
}

// IsSafe reports whether Find would return the program at an absolute path: one that was found earlier may lie in a folder that commands
// may write now.
func IsSafe(path string) bool { return !leadsThrough(path, folders()) }

// Path returns a PATH without the folders that Find passes over, for programs that start others.
func Path(path string) string {
	unsafe := folders()
	kept := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !filepath.IsAbs(dir) || leadsThrough(dir, unsafe)
	})
	return strings.Join(kept, string(filepath.ListSeparator))
}

// Environ returns an environment with the Path of its PATH.
func Environ(environ []string) []string {
	safe := slices.Clone(environ)
	for i, entry := range safe {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(name, "PATH") {
			safe[i] = name + "=" + Path(value)
		}
	}
	return safe
}

// folders returns what is passed over.
func folders() []string {
	distrusted.RLock()
	all := distrusted.folders
	distrusted.RUnlock()
	current, _ := os.Getwd() // without one there is none to pass over
	return slices.Concat(all, temporary(), real(current))
}

// temporary returns the folders for temporary files, which every confined command may write.
func temporary() []string { return real(os.TempDir(), "/tmp") }

// real returns the folders that exist, without symlinks. The root is left out: where commands may write it, nothing can be held.
func real(dirs ...string) (folders []string) {
	for _, dir := range dirs {
		if dir, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) && filepath.Dir(dir) != dir {
			folders = append(folders, dir)
		}
	}
	return folders
}

// leadsThrough reports whether path lies in one of the folders, or is reached through one.
func leadsThrough(path string, folders []string) bool {
	return slices.ContainsFunc(steps(path), func(step string) bool { return within(step, folders) })
}

// within reports whether path is one of the folders, or lies in one.
func within(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		rest, ok := strings.CutPrefix(path, folder)
		return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(folder[len(folder)-1]))
	})
}

// maxLinks is how many symlinks a path may lead through, as in the kernel.
const maxLinks = 40

// steps returns the paths that an absolute path leads through: itself, with each of its symlinks replaced in turn. One that is in a
// folder of others is in the hands of these others, wherever it leads.
func steps(path string) []string {
	path = filepath.Clean(path)
	all := []string{path}
	for range maxLinks {
		link, target := firstLink(path)
		if link == "" {
			return all
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		path = filepath.Join(target, strings.TrimPrefix(path, link))
		all = append(all, link, path)
	}
	return all
}

// firstLink returns the outermost symlink that a path leads through, and its target; "" if there is none.
func firstLink(path string) (link, target string) {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && !os.IsPathSeparator(path[i]) {
			continue
		}
		if target, err := os.Readlink(path[:i]); err == nil {
			return path[:i], target
		}
	}
	return "", ""
}
