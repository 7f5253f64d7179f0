package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/conform"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/transcript"
)

// conformLimit is how long the cases may take: they took 44 s, and 135 s on a machine that was busy with other things.
const conformLimit = 8 * time.Minute

// TestConformClientOfPi: RpcClient of @mariozechner/pi-coding-agent passes the required cases for clients, by examples/conform/pi-client.
// The recommendations that it does not meet take as long as their limits; docs/conformance.md has them.
func TestConformClientOfPi(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	t.Parallel()
	node := interpreter(t, "node", "-p", "process.execPath")
	packages := stage.NodePackages(t, "piscesclient")
	dir := t.TempDir()
	for _, name := range []string{"client.mjs", "agent.mjs"} {
		stage.CopyTree(t, filepath.Join("../examples/conform/pi-client", name), filepath.Join(dir, name))
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	suite, err := conform.Load("pisces", conform.Client)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"conform", "pisces", "--client", "--format", "json", "--jobs", "2", "--timeout", "2m", "--end-timeout", "50s"}
	want := map[string]conform.Status{}
	for _, c := range suite.Cases {
		if !c.Recommended {
			args = append(args, "--case", c.Name)
			want[c.Name] = conform.Passed
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), conformLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, transcript.Build(t), append(args, "--", node, filepath.Join(dir, "client.mjs"), "{server}", "{prompt}")...)
	cmd.Env = []string{"PATH=" + filepath.Dir(node) + ":" + os.Getenv("PATH")} // RpcClient starts "node"
	out, runErr := cmd.Output()
	var report conform.Report
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v: %s", runErr, out)
	}
	got := map[string]conform.Status{}
	for _, r := range report.Cases {
		got[r.Name] = r.Status
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, out)
	}
}
