package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// The clients that the pi stage.Family publishes drive the program, unmodified. They lie in
// packages of npm, which piscesclient/package.json names and its lock file pins; what they
// do there, and hold the program to, is piscesclient/drive.ts and drive_pi.mjs. Both
// dialogues pass against the originals too: ORIGINAL=…/src/cli.ts bun drive.ts.

// bun returns the runtime of the folder's packages that the client of omp needs.
func bun(t *testing.T, packages string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(packages, "node_modules/@oven/*/bin/bun"))
	if err != nil || len(found) == 0 {
		t.Skipf("there is no bun for %s/%s among the packages", runtime.GOOS, runtime.GOARCH)
	}
	return found[0]
}

// drivers returns a folder of this test's own with the drivers and, by a link, the packages.
func drivers(t *testing.T, packages string) string {
	t.Helper()
	dir := t.TempDir()
	sources, err := filepath.Glob("piscesclient/*.[mt]*s")
	if err != nil || len(sources) == 0 {
		t.Fatal("there are no drivers", err)
	}
	for _, source := range sources {
		stage.CopyTree(t, source, filepath.Join(dir, filepath.Base(source)))
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// drive runs a driver against the program and wants every step to go well, and every
// server to be gone after it.
func drive(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	p := newPlace(t)
	h := stage.Holding(t, p.Work)
	hold, err := os.OpenFile(filepath.Join(p.Work, "hold"), os.O_WRONLY, 0) // between two servers too
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	cmd.Env = append(cmd.Env, "HOME="+p.Home, "LANG=C.UTF-8", "PARLEY_BIN="+transcript.Build(t), "PARLEY_HOLD="+hold.Name())
	cmd.WaitDelay = time.Second
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%v\n%s", time.Since(begun).Round(time.Millisecond), out)
	hold.Close()
	h.WantGone()
}

// driveLimit is how long a driver may take, which has a stage.Patience of its own for each step.
const driveLimit = 3 * time.Minute

// TestClientOfOmp: the RpcClient of @oh-my-pi/pi-coding-agent.
func TestClientOfOmp(t *testing.T) {
	packages := stage.NodePackages(t, "piscesclient")
	bun, dir := bun(t, packages), drivers(t, packages)
	ctx, cancel := context.WithTimeout(t.Context(), driveLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bun, filepath.Join(dir, "drive.ts"))
	cmd.Env = []string{"PATH=" + filepath.Dir(bun) + ":" + os.Getenv("PATH")} // it starts "bun"
	drive(t, cmd)
}

// TestClientOfPi: the RpcClient of @mariozechner/pi-coding-agent.
func TestClientOfPi(t *testing.T) {
	node := interpreter(t, "node", "-p", "process.execPath")
	if version := interpreter(t, "node", "-p", "parseInt(process.version.slice(1)) >= 20"); version != "true" {
		t.Skip("the client wants Node.js 20 or newer")
	}
	packages := stage.NodePackages(t, "piscesclient")
	ctx, cancel := context.WithTimeout(t.Context(), driveLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, filepath.Join(drivers(t, packages), "drive_pi.mjs"))
	cmd.Env = []string{"PATH=" + filepath.Dir(node) + ":" + os.Getenv("PATH")} // it starts "node"
	drive(t, cmd)
}

// TestClientOfNewerOmp: the RpcClient of @oh-my-pi/pi-coding-agent 18.
func TestClientOfNewerOmp(t *testing.T) {
	packages := stage.NodePackages(t, "piscesnewer")
	bun, dir := bun(t, packages), drivers(t, packages)
	ctx, cancel := context.WithTimeout(t.Context(), driveLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bun, filepath.Join(dir, "drive_newer.ts"))
	cmd.Env = []string{"PATH=" + filepath.Dir(bun) + ":" + os.Getenv("PATH")} // it starts "bun"
	drive(t, cmd)
}

// TestClientOfNewerPi: the RpcClient of @earendil-works/pi-coding-agent 1.x.
func TestClientOfNewerPi(t *testing.T) {
	node := interpreter(t, "node", "-p", "process.execPath")
	if version := interpreter(t, "node", "-p", "parseInt(process.version.slice(1)) >= 20"); version != "true" {
		t.Skip("the client wants Node.js 20 or newer")
	}
	packages := stage.NodePackages(t, "piscesnewer")
	ctx, cancel := context.WithTimeout(t.Context(), driveLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, filepath.Join(drivers(t, packages), "drive_pi_newer.mjs"))
	cmd.Env = []string{"PATH=" + filepath.Dir(node) + ":" + os.Getenv("PATH")} // it starts "node"
	drive(t, cmd)
}

// TestDriverCallsEverything wants each method of the client of omp to be called by its driver.
func TestDriverCallsEverything(t *testing.T) {
	packages := stage.NodePackages(t, "piscesclient")
	source, err := os.ReadFile(filepath.Join(packages, "node_modules/@oh-my-pi/pi-coding-agent/src/modes/rpc/rpc-client.ts"))
	if err != nil {
		t.Fatal(err)
	}
	driver, err := os.ReadFile("piscesclient/drive.ts")
	if err != nil {
		t.Fatal(err)
	}
	methods := 0
	for line := range strings.Lines(string(source)) {
		rest, ok := strings.CutPrefix(line, "\tasync ")
		if !ok || strings.HasPrefix(rest, "start(") {
			continue
		}
		methods++
		if name, _, _ := strings.Cut(rest, "("); !strings.Contains(string(driver), "client."+name+"(") {
			t.Errorf("the driver does not call %s", name)
		}
	}
	if methods != 28 {
		t.Errorf("the client has %d methods, not 28", methods)
	}
}
