package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// TestClientOfPiSharesSession: the RpcClient of @mariozechner/pi-coding-agent is served by a host. A Flint client joins its
// session during a turn, is shown the turn, and interrupts it; the RpcClient sees that as any other end.
func TestClientOfPiSharesSession(t *testing.T) {
	t.Parallel()
	node := interpreter(t, "node", "-p", "process.execPath")
	if version := interpreter(t, "node", "-p", "parseInt(process.version.slice(1)) >= 20"); version != "true" {
		t.Skip("the client wants Node.js 20 or newer")
	}
	packages := stage.NodePackages(t, "piscesclient")
	p := stage.NewPlace(t)
	p.Plays(t, "text The first ste\nhang\n")
	p.Env = append(p.Env, "PARLEY_HOST=auto", "PARLEY_BIN="+transcript.BuildConsole(t), "WORK="+p.Work)
	host := client.Start(t, p.Command(t, "serve", "--json"))
	host.Match("ready")

	cmd := exec.Command(node, filepath.Join(drivers(t, packages), "drive_host.mjs"))
	cmd.Env = append(p.Command(t).Env, "PATH="+filepath.Dir(node)+":"+os.Getenv("PATH"))
	pi := client.Start(t, cmd)
	session := strings.Fields(pi.Match("session "))[1]

	flint := client.StartFlint(t, p)
	turns := flint.Resume(session)
	if len(turns) != 1 || flint.Turn(turns[0]).Status != "inProgress" {
		t.Fatalf("turns: %s", turns)
	}
	flint.Interrupt(session, flint.Turn(turns[0]).ID)
	flint.UntilMethod("turn/completed")
	if end := strings.Fields(pi.Match("ended "))[1]; end != "aborted" {
		t.Errorf("the turn of the RpcClient ended with %q", end)
	}
	if code := pi.Code(); code != 0 {
		t.Errorf("the driver ended with %d: %s", code, pi.Stderr)
	}
}
