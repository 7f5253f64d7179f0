package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// TestClientOfPiSharesSession: the RpcClient of @mariozechner/pi-coding-agent is served by a host. A Flint client joins its
// session during a turn, is shown the turn, and interrupts it; the RpcClient sees that as any other end.
func TestClientOfPiSharesSession(t *testing.T) {
	node := interpreter(t, "node", "-p", "process.execPath")
	if version := interpreter(t, "node", "-p", "parseInt(process.version.slice(1)) >= 20"); version != "true" {
		t.Skip("the client wants Node.js 20 or newer")
	}
	packages := stage.NodePackages(t, "piscesclient")
	p := stage.NewPlace(t)
	p.Model = "offline/script"
	p.Write(t, "model.script", "text The first ste\nhang\n")
	p.Env = append(p.Env, "PARLEY_OFFLINE_SCRIPT="+filepath.Join(p.Work, "model.script"), "PARLEY_HOST=auto",
		"PARLEY_BIN="+transcript.Build(t), "WORK="+p.Work)
	host := lines(t, stage.Launch(t, p.Command(t, "serve", "--json")))
	host.next("ready")

	cmd := exec.Command(node, filepath.Join(drivers(t, packages), "drive_host.mjs"))
	cmd.Env = append(p.Command(t).Env, "PATH="+filepath.Dir(node)+":"+os.Getenv("PATH"))
	pi := lines(t, stage.Launch(t, cmd))
	session := strings.Fields(pi.next("session "))[1]

	flint := lines(t, stage.Launch(t, p.Command(t, "flint")))
	flint.send(`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`)
	flint.next(`"id":0`)
	flint.send(`{"id":1,"method":"thread/resume","params":{"threadId":"` + session + `"}}`)
	var resumed struct {
		Result struct {
			Thread struct {
				Turns []struct{ ID, Status string }
			}
		}
	}
	if err := json.Unmarshal([]byte(flint.next(`"id":1`)), &resumed); err != nil {
		t.Fatal(err)
	}
	turns := resumed.Result.Thread.Turns
	if len(turns) != 1 || turns[0].Status != "inProgress" {
		t.Fatalf("turns: %+v", turns)
	}
	flint.send(`{"id":2,"method":"turn/interrupt","params":{"threadId":"` + session + `","turnId":"` + turns[0].ID + `"}}`)
	flint.next(`"turn/completed"`)
	if end := strings.Fields(pi.next("ended "))[1]; end != "aborted" {
		t.Errorf("the turn of the RpcClient ended with %q", end)
	}
	if code := pi.process.Code(); code != 0 {
		t.Errorf("the driver ended with %d: %s", code, pi.process.Stderr)
	}
}

// A lineReader reads the lines of a process.
type lineReader struct {
	t       *testing.T
	process *stage.Process
	reader  *bufio.Reader
}

func lines(t *testing.T, process *stage.Process) *lineReader {
	t.Helper()
	if err := process.Stdout.SetReadDeadline(time.Now().Add(stage.Patience)); err != nil {
		t.Fatal(err)
	}
	return &lineReader{t, process, bufio.NewReader(process.Stdout)}
}

func (l *lineReader) send(line string) {
	l.t.Helper()
	if _, err := l.process.Stdin.Write([]byte(line + "\n")); err != nil {
		l.t.Fatal(err)
	}
}

// next returns the next line that has a part.
func (l *lineReader) next(part string) string {
	l.t.Helper()
	for {
		line, err := l.reader.ReadString('\n')
		if err != nil {
			l.t.Fatalf("no line with %q: %v; %s", part, err, l.process.Stderr)
		}
		if strings.Contains(line, part) {
			return line
		}
	}
}
