package examples

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/record"
)

// A host is a running parley serve, and a client of it.
type host struct {
	process *stage.Process
	socket  string
	client  *client.Client
}

// serve starts a host whose model plays a script.
func serve(t *testing.T, p *stage.Place, script string) *host {
	t.Helper()
	p.Model = "offline/script"
	p.Write(t, "model.script", script)
	cmd := p.Command(t, "serve", "--json")
	cmd.Env = append(cmd.Env, "PARLEY_OFFLINE_SCRIPT="+filepath.Join(p.Work, "model.script"))
	h := &host{process: stage.Launch(t, cmd)}
	line, err := bufio.NewReader(h.process.Stdout).ReadBytes('\n')
	var ready struct {
		Socket string `json:"socket"`
	}
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		t.Fatalf("the host does not start: %v: %s", err, h.process.Stderr)
	}
	h.socket = ready.Socket
	if h.client, err = client.Dial(limited(t), "unix:"+h.socket, client.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.client.Close() })
	return h
}

// limited returns a context for what has to come.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	t.Cleanup(cancel)
	return ctx
}

// prompt has a turn, and returns its records.
func prompt(t *testing.T, s *client.Session) (records []record.Record) {
	t.Helper()
	ctx := limited(t)
	turn, err := s.Prompt(ctx, client.Prompt{Text: "Go."})
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range s.Follow(ctx, client.FollowOptions{}) {
		if err != nil {
			t.Fatalf("after %d records: %v", len(records), err)
		}
		if records = append(records, rec); rec.Kind == record.KindTurnEnded && rec.Turn == turn {
			break
		}
	}
	return records
}

// start starts an example; its lines are read from the scanner.
func start(t *testing.T, command ...string) (*stage.Process, *bufio.Scanner) {
	t.Helper()
	p := stage.Launch(t, exec.Command(command[0], command[1:]...))
	return p, bufio.NewScanner(p.Stdout)
}

// TestApprover: a bot in another process allows the commands of its list, and denies another one with a reason.
func TestApprover(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "approver")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./approver").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := stage.NewPlace(t)
	h := serve(t, p, "call shell {\"command\":\"echo yes\"}\nnext\ncall shell {\"command\":\"echo yes; echo no\"}\nnext\ntext Done.\n")
	s, err := h.client.Create(limited(t), client.NewSession{ID: "s-1", Workspace: p.Work, Settings: map[string]any{"mode": "prompt"}})
	if err != nil {
		t.Fatal(err)
	}
	bot, lines := start(t, program, "unix:"+h.socket, "echo yes")
	var ends []record.ToolEnded
	for _, rec := range prompt(t, s) {
		var end record.ToolEnded
		if rec.Kind == record.KindToolEnded && rec.Decode(&end) == nil {
			ends = append(ends, end)
		}
	}
	if len(ends) != 2 || ends[0].Outcome != record.CallSucceeded || ends[1].Outcome != record.CallDenied || !strings.Contains(ends[1].Output, `the approver allows only ["echo yes"]`) {
		t.Errorf("%+v; %s", ends, bot.Stderr)
	}
	for _, want := range []string{"s-1 a-1 ", "s-1 a-2 "} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Errorf("it printed %q, want %s…", lines.Text(), want)
		}
	}
}

// TestFollower: a line for each record, in order, also when the host is killed and started again meanwhile; it ends with the
// session.
func TestFollower(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	p := stage.NewPlace(t)
	h := serve(t, p, "text One.\n")
	s, err := h.client.Create(limited(t), client.NewSession{ID: "s-1", Workspace: p.Work})
	if err != nil {
		t.Fatal(err)
	}
	first := prompt(t, s)
	follower, lines := start(t, "python3", "follow.py", h.socket, "s-1", "2")
	for range first[1:] {
		lines.Scan()
	}
	if want := fmt.Sprintf("%d ", len(first)); !strings.HasPrefix(lines.Text(), want) || !strings.HasSuffix(lines.Text(), " turn_ended completed") {
		t.Errorf("the last line of the first turn is %q", lines.Text())
	}
	h.process.Kill()

	h = serve(t, p, "text Two.\n")
	all := prompt(t, h.client.Session("s-1"))
	text := ""
	for _, rec := range all[len(first):] {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), fmt.Sprintf("%d ", rec.Seq)) || !strings.Contains(lines.Text(), rec.Kind) {
			t.Fatalf("record %d of kind %s is printed as %q; %s", rec.Seq, rec.Kind, lines.Text(), follower.Stderr)
		}
		text += lines.Text() + "\n"
	}
	if !strings.Contains(text, " assistant_message Two.\n") {
		t.Errorf("the second turn:\n%s", text)
	}
	if err := h.client.Call(limited(t), "session/close", map[string]any{"session": "s-1", "end": true}, nil); err != nil {
		t.Fatal(err)
	}
	if code := follower.Code(); code != 0 {
		t.Errorf("exit code %d: %s", code, follower.Stderr)
	}
}
