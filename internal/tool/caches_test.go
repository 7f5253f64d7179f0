package tool

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestCaches: a command that may write to its workspace alone has caches that it can write to, until Close.
func TestCaches(t *testing.T) {
	var c Caches
	workspace := workspacetest.TempDir(t)
	base := []string{"A=b", "GOCACHE=/home/ana/.cache/go-build", "UV_CACHE_DIR=" + workspace + "/uv"}
	confine := sandbox.Policy{Level: sandbox.WorkspaceWrite, Writable: append([]string{workspace}, TempFolders()...)}
	for _, level := range []sandbox.Level{sandbox.Full, sandbox.ReadOnly} {
		if got := c.Add(base, sandbox.Policy{Level: level}); !slices.Equal(got, base) || c.dir != "" {
			t.Errorf("level %v: %q", level, got)
		}
	}
	narrow := sandbox.Policy{Level: sandbox.WorkspaceWrite, Writable: []string{workspace}}
	if got := c.Add(base, narrow); !slices.Equal(got, base) {
		t.Errorf("where the command cannot write: %q", got)
	}
	values := func(network bool) map[string]string {
		confine.Network = network
		found := map[string]string{}
		for _, entry := range c.Add(base, confine) {
			name, value, _ := strings.Cut(entry, "=")
			if _, twice := found[name]; twice {
				t.Errorf("%s is there twice", name)
			}
			found[name] = value
		}
		return found
	}
	got := values(false)
	if got["A"] != "b" || got["UV_CACHE_DIR"] != workspace+"/uv" || got["GOCACHE"] != filepath.Join(c.dir, "go") || got["npm_config_logs_dir"] == "" || got["npm_config_cache"] != "" {
		t.Errorf("without the network: %q", got)
	}
	if again := values(true); again["GOCACHE"] != got["GOCACHE"] || again["npm_config_cache"] != filepath.Join(c.dir, "npm") {
		t.Errorf("with the network: %q", again)
	}
	if base[1] != "GOCACHE=/home/ana/.cache/go-build" {
		t.Error("the environment that was given has changed")
	}
	dir := c.dir
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is left")
	}
	if got := c.Add(base, confine); !slices.Equal(got, base) {
		t.Errorf("after Close: %q", got)
	}
}
