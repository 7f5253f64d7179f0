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

// The clients that the pi family publishes drive the program, unmodified. They lie in
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
	cmd.Env = append(cmd.Env, "HOME="+p.Home, "LANG=C.UTF-8", "PARLEY_BIN="+transcript.BuildConsole(t), "PARLEY_HOLD="+hold.Name())
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

// driveLimit is how long a driver may take, which has a patience of its own for each step.
const driveLimit = 3 * time.Minute

// driveBun drives the program with the client of a package of omp.
func driveBun(t *testing.T, packages, driver string) {
	t.Helper()
	folder := stage.NodePackages(t, packages)
	driveWith(t, bun(t, folder), filepath.Join(drivers(t, folder), driver))
}

// driveNode drives the program with the client of a package of pi.
func driveNode(t *testing.T, packages, driver string) {
	t.Helper()
	node := interpreter(t, "node", "-p", "process.execPath")
	if version := interpreter(t, "node", "-p", "parseInt(process.version.slice(1)) >= 20"); version != "true" {
		t.Skip("the client wants Node.js 20 or newer")
	}
	driveWith(t, node, filepath.Join(drivers(t, stage.NodePackages(t, packages)), driver))
}

func driveWith(t *testing.T, runtime, driver string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), driveLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, runtime, driver)
	cmd.Env = []string{"PATH=" + filepath.Dir(runtime) + ":" + os.Getenv("PATH")} // it starts "bun" or "node"
	drive(t, cmd)
}

// TestClientOfOmp: the RpcClient of @oh-my-pi/pi-coding-agent.
func TestClientOfOmp(t *testing.T) {
	t.Parallel()
	driveBun(t, "piscesclient", "drive.ts")
}

// TestClientOfPi: the RpcClient of @mariozechner/pi-coding-agent.
func TestClientOfPi(t *testing.T) {
	t.Parallel()
	driveNode(t, "piscesclient", "drive_pi.mjs")
}

// TestClientOfNewerOmp: the RpcClient of @oh-my-pi/pi-coding-agent 18.
func TestClientOfNewerOmp(t *testing.T) {
	t.Parallel()
	driveBun(t, "piscesnewer", "drive_newer.ts")
}

// TestClientOfNewerPi: the RpcClient of @earendil-works/pi-coding-agent 1.x.
func TestClientOfNewerPi(t *testing.T) {
	t.Parallel()
	driveNode(t, "piscesnewer", "drive_pi_newer.mjs")
}

// TestDriverCallsEverything wants each method of the client of omp to be called by its driver.
func TestDriverCallsEverything(t *testing.T) {
	t.Parallel()
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
