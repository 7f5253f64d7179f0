package roles

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/record"
)

// serve starts a host as the user of the role host, with a state folder of its own, and connects a client.
func (s *site) serve(ctx context.Context, name string) *client.Client {
	s.Helper()
	cmd := s.as(stream.RoleHost).Command(s.T, "serve", "--json")
	cmd.Env = append(cmd.Env, "PARLEY_HOME="+filepath.Join(s.Home, name))
	process := stage.Launch(s.T, cmd)
	line, err := bufio.NewReader(process.Stdout).ReadBytes('\n')
	var ready struct{ Socket string }
	if err == nil {
		err = json.Unmarshal(line, &ready, json.MatchCaseInsensitiveNames(true))
	}
	if err != nil {
		s.Fatalf("the host %s is not ready: %v; %s", name, err, process.Stderr)
	}
	c, err := client.Dial(ctx, "unix:"+ready.Socket, client.Options{Name: name})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { c.Close() })
	return c
}

// turn runs a turn of a session up to its end, and returns the number of its last record.
func (s *site) turn(ctx context.Context, of *client.Session, from uint64) uint64 {
	s.Helper()
	if _, err := of.Prompt(ctx, client.Prompt{Text: "Go."}); err != nil {
		s.Fatal(err)
	}
	for rec, err := range of.Follow(ctx, client.FollowOptions{From: from}) {
		if err != nil {
			s.Fatal(err)
		}
		if rec.Kind == record.KindTurnEnded && rec.Seq > from {
			return rec.Seq
		}
	}
	s.Fatal("the session ended")
	return 0
}

// TestHost runs hosts as the user of their role: a session has a turn, is relayed to another host, moves there when it is
// idle, and has another turn. A viewer sees both hosts, and the session.
func TestHost(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Plays(t, strings.Repeat("text Hello.\nnext\n", 5)+"text Hello.\n")
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	defer cancel()
	a, b := s.serve(ctx, "a"), s.serve(ctx, "b")
	first, err := a.Create(ctx, client.NewSession{Workspace: s.Work})
	if err != nil {
		t.Fatal(err)
	}
	end := s.turn(ctx, first, 0)
	relayed, err := b.Open(ctx, first.ID()) // the client of the other host has it open
	if err != nil {
		t.Fatal(err)
	}
	end = s.turn(ctx, relayed, end)
	for _, c := range []*client.Session{relayed, first} {
		if err := c.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	moved, err := b.Open(ctx, first.ID())
	if err != nil {
		t.Fatal(err)
	}
	s.turn(ctx, moved, end)
	if out := s.must(stream.RoleViewer, "sessions", "export", first.ID(), "--format", "markdown"); strings.Count(out, "Hello.") != 3 {
		t.Errorf("the viewer reads\n%s", out)
	}
	if out := s.must(stream.RoleViewer, "hosts"); strings.Count(out, " live ") != 2 || strings.Count(out, "\n") != 3 {
		t.Errorf("the viewer sees the hosts\n%s", out)
	}
}

// TestBlobs has a session and results with values that are stored beside them, which a viewer reads.
func TestBlobs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Plays(t, fmt.Sprintf("text %s\n", strings.Repeat("long ", 150_000)))
	s.must(stream.RoleHost, "run", "hi")
	if out := s.must(stream.RoleViewer, "sessions", "export", "latest"); strings.Count(out, "long ") < 150_000 {
		t.Errorf("the export has %d bytes", len(out))
	}
	s.Write(t, "tasks.jsonl", `{"id":"a","prompt":"`+strings.Repeat("task ", 60_000)+`"}`+"\n")
	s.must(stream.RoleSubmitter, "batch", "submit", "tasks.jsonl", "--batch", "b")
	s.must(stream.RoleHost, "worker", "--once")
	if out := s.must(stream.RoleSubmitter, "batch", "results", "b", "--json"); !strings.Contains(out, `"status":"done"`) {
		t.Errorf("the result is %s", out)
	}
}

// TestManyEntries: users that must not create consumers read a log that is longer than what is read one by one otherwise.
func TestManyEntries(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var tasks strings.Builder
	for n := range 50 {
		fmt.Fprintf(&tasks, `{"id":"t%d","prompt":"hi"}`+"\n", n)
	}
	s.Write(t, "tasks.jsonl", tasks.String())
	s.must(stream.RoleSubmitter, "batch", "submit", "tasks.jsonl", "--batch", "b")
	s.must(stream.RoleSubmitter, "batch", "cancel", "b")
	for _, role := range roles {
		stdout, stderr, code := s.as(role).run("batch", "status", "b", "--tasks", "--json")
		if code != 3 || strings.Count(stdout, `"status":"cancelled"`) != 50 {
			t.Errorf("%s: code %d, %s%s", role, code, stdout, stderr)
		}
	}
}
