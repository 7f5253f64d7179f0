package acp

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// nodeLimit is how long the journeys of one folder may take; they took 8 s.
const nodeLimit = 5 * time.Minute

// A folder is one of this package's: programs and the packages that they use.
type folder struct {
	dir, records, scratch string
}

// newFolder copies a folder and links its packages, or skips the test.
func newFolder(t *testing.T, name string) folder {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	packages := stage.NodePackages(t, name)
	f := folder{dir: t.TempDir(), records: t.TempDir(), scratch: t.TempDir()}
	sources, err := filepath.Glob(filepath.Join(name, "*.mjs"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("%s has no programs: %v", name, err)
	}
	shared, err := filepath.Glob("*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range append(sources, shared...) {
		stage.CopyTree(t, source, filepath.Join(f.dir, filepath.Base(source)))
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(f.dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return f
}

// node returns a Node.js of a major version or later: that of the machine, or else that of the folder's packages.
func (f folder) node(t *testing.T, major string) string {
	t.Helper()
	own, _ := filepath.Glob(filepath.Join(f.dir, "node_modules/node-*/bin/node"))
	for _, path := range append([]string{"node"}, own...) {
		cmd := exec.CommandContext(t.Context(), path, "--print", "process.versions.node.split('.')[0] >= "+major)
		if out, err := cmd.Output(); err == nil && strings.TrimSpace(string(out)) == "true" {
			return path
		}
	}
	t.Skipf("node is older than %s", major)
	return ""
}

// run runs the tests of a folder with a Node.js, and checks what was recorded.
func (f folder) run(t *testing.T, node string) {
	t.Helper()
	tests, err := filepath.Glob(filepath.Join(f.dir, "*.test.mjs"))
	if err != nil || len(tests) == 0 {
		t.Fatal("there are no tests", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), nodeLimit)
	defer cancel()
	args := []string{"--test", "--test-reporter=spec"}
	cmd := exec.CommandContext(ctx, node, append(args, tests...)...)
	cmd.Dir, cmd.WaitDelay = f.dir, time.Second
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + f.scratch, "LANG=C.UTF-8",
		"PARLEY=" + transcript.Build(t), "PARLEY_RECORDS=" + f.records, "PARLEY_SCRATCH=" + f.scratch,
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", errors.Join(err, ctx.Err()), out)
	} else {
		t.Logf("%s", out)
	}
	checkRecords(t, f.records)
}
