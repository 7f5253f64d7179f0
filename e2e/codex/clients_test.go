package codex

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
	"parley.dev/parley/internal/transcript"
)

// journeyLimit is how long one program may take; they took 10 s.
const journeyLimit = 3 * time.Minute

// play runs a program of the folder clients in a place, in which codex is a link to the built program.
func play(t *testing.T, p *stage.Place, program string, env ...string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	packages := stage.NodePackages(t, "clients")
	dir := t.TempDir()
	stage.CopyTree(t, filepath.Join("clients", program), filepath.Join(dir, program))
	link := filepath.Join(dir, "codex")
	for from, to := range map[string]string{filepath.Join(packages, "node_modules"): filepath.Join(dir, "node_modules"), transcript.Build(t): link} {
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), journeyLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, filepath.Join(dir, program))
	cmd.Dir, cmd.WaitDelay = p.Work, time.Second
	cmd.Env = slices.Concat(p.Command(t).Env, env, []string{"CODEX=" + link, "WORK=" + p.Work, "OUTSIDE=" + p.Temp})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// TestSDK: the official SDK runs turns by codex exec.
func TestSDK(t *testing.T) {
	t.Parallel()
	p := newPlace(t,
		runs("c1", "echo made > made.txt; cat made.txt"), says("It is made."),
		calls("c2", "apply_patch", map[string]any{"input": "*** Begin Patch\n*** Update File: made.txt\n@@\n-made\n+changed\n*** End Patch"}), says("It is changed."),
		runs("c3", "echo no > no.txt"), says("It is refused."),
		modeltest.Refuse(400, `{"error":{"message":"no such thing","type":"invalid_request_error"}}`),
		runs("c4", "echo begun; exec sleep 1000"),
	)
	mark := stage.NewMark(p)
	var url string
	p.Env = slices.DeleteFunc(p.Env, func(v string) bool { // the SDK gives them
		if base, ok := strings.CutPrefix(v, "OPENAI_BASE_URL="); ok {
			url = base
		}
		return strings.HasPrefix(v, "OPENAI_") || strings.HasPrefix(v, "PARLEY_OPENAI_API=")
	})
	play(t, p, "sdk.mjs", "MODEL_URL="+url, "MODEL_KEY="+stage.Key)
	if data, err := os.ReadFile(filepath.Join(p.Work, "made.txt")); string(data) != "changed\n" {
		t.Errorf("the file has %q, %v", data, err)
	}
	mark.WantEnded(t, nil)
}

// TestAdapter: the official adapter makes an agent of the Agent Client Protocol of codex app-server.
func TestAdapter(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	defer close(gate)
	outside := outside(t)
	p := newPlace(t,
		says("Hello from Parley."),
		escalates("c1", "touch "+outside+"/one"), says("The first file is there."),
		escalates("c2", "touch "+outside+"/two"), says("Then not."),
		modeltest.Stream(modeltest.Text("I begin a long text."), modeltest.Wait(gate)),
		says("Loaded and well."),
	)
	mark := stage.NewMark(p)
	play(t, p, "acp.mjs", "MODEL_KEY="+stage.Key)
	if _, err := os.Stat(filepath.Join(outside, "one")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(outside, "two")); err == nil {
		t.Error("a command ran that was refused")
	}
	mark.WantEnded(t, nil)
}
