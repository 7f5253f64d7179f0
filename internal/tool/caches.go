package tool

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/workspace"
)

// Caches is a folder for the caches of programs that confined commands run, which cannot write to the user's
// own: some, such as go, do not work without. It is made for the first such command and removed by Close. A nil
// Caches has no folder. It is safe for use by several goroutines.
type Caches struct {
	Spawner *sandbox.Spawner // of the commands; nil: the folder is left if this process is killed

	mu     sync.Mutex
	dir    string // absolute, without symlinks; "": it is not there yet
	closed bool
}

// A cacheVariable is a variable that names the cache of a program.
type cacheVariable struct {
	name, folder string
	online       bool // only with the network: without it the user's cache, which can be read, is of more use
}

// cacheVariables leave out XDG_CACHE_HOME: programs also keep there what they only read, such as browsers.
var cacheVariables = []cacheVariable{
	{"GOCACHE", "go", false},
	{"GOLANGCI_LINT_CACHE", "golangci-lint", false},
	{"STATICCHECK_CACHE", "staticcheck", false},
	{"PIP_CACHE_DIR", "pip", false},
	{"UV_CACHE_DIR", "uv", false},
	{"npm_config_logs_dir", "npm/logs", false},
	{"npm_config_cache", "npm", true},
	{"YARN_CACHE_FOLDER", "yarn", true},
}

// folder returns the folder, which it makes if it has to; "" if there can be none.
func (c *Caches) folder() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	temps := TempFolders()
	if c.dir == "" && !c.closed && len(temps) > 0 {
		dir := filepath.Join(temps[0], c.Spawner.TempName("caches"))
		if os.Mkdir(dir, 0o700) == nil {
			c.dir = dir
		}
	}
	return c.dir
}

// Close removes the folder; there is none afterwards.
func (c *Caches) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.dir == "" {
		return nil
	}
	dir := c.dir
	c.dir = ""
	return os.RemoveAll(dir)
}

// Add returns environ with the variables of caches that a command with these limits can write to. Those that
// name such a folder already stay.
func (c *Caches) Add(environ []string, confine sandbox.Policy) []string {
	if c == nil || confine.Level != sandbox.WorkspaceWrite {
		return environ
	}
	dir := c.folder()
	if dir == "" || !slices.ContainsFunc(confine.Writable, func(root string) bool { return workspace.Below(root, dir) }) {
		return environ
	}
	added := slices.Clone(environ)
	for _, v := range cacheVariables {
		usable := func(entry string) bool {
			value, ok := strings.CutPrefix(entry, v.name+"=")
			return ok && slices.ContainsFunc(confine.Writable, func(root string) bool { return workspace.Below(root, value) })
		}
		if v.online && !confine.Network || slices.ContainsFunc(environ, usable) {
			continue
		}
		added = slices.DeleteFunc(added, func(entry string) bool { return strings.HasPrefix(entry, v.name+"=") })
		added = append(added, v.name+"="+filepath.Join(dir, v.folder))
	}
	return added
}
