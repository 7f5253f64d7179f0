package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// limited checks that a request was refused because of a limit, with when to try again.
func limited(t *testing.T, what string, m message) {
	t.Helper()
	if m.Error == nil || m.Error.Code != -32005 || string(m.Error.Data) != `{"kind":"limit","retry_ms":1000}` {
		t.Errorf("%s: %+v", what, m.Error)
	}
}

// TestOpenSessions: one session too many is refused, and one that is closed makes room.
func TestOpenSessions(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	s := serve(t, p, "--max-sessions", "2")
	a := s.client("a")
	for n := range 2 {
		a.must("session/create", map[string]any{"workspace": p.Work, "id": fmt.Sprint("s-", n)}, nil)
	}
	third := map[string]any{"workspace": p.Work, "id": "s-2"}
	limited(t, "a third session", a.call("session/create", third))
	a.must("session/open", map[string]any{"session": "s-1"}, nil)
	a.must("session/close", map[string]any{"session": "s-0", "end": true}, nil)
	a.must("session/create", third, nil)
}

// TestOpenFollows: a connection follows at most 1,000 sessions; others are not affected.
func TestOpenFollows(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	s := serve(t, p)
	a, b := s.client("a"), s.client("b")
	id := func(n int) string { return fmt.Sprint("s-", n) }
	for n := range 1000 {
		a.must("session/create", map[string]any{"workspace": p.Work, "id": id(n)}, nil)
		a.follow(id(n), 1)
	}
	a.must("session/create", map[string]any{"workspace": p.Work, "id": id(1000)}, nil)
	limited(t, "one more", a.call("session/follow", map[string]any{"session": id(1000), "from": 1}))
	a.follow(id(7), 1) // again
	b.follow(id(1000), 1)
	a.must("session/unfollow", map[string]any{"session": id(7)}, nil)
	a.follow(id(1000), 1)
}

// TestRate: what a client sends beyond its rate is read later, and all of it is answered.
func TestRate(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	s := serve(t, p, "--max-rate", "100000", "--listen", "127.0.0.1:0")
	for _, c := range []*client{s.client("a"), s.webClient("b", s.token())} {
		go func() {
			for n := range 200 { // more than the rate; the first second is free
				line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}%s`, n+100, strings.Repeat(" ", 1000))
				if _, err := c.conn.Write([]byte(line + "\n")); err != nil {
					return // the test has ended
				}
			}
		}()
		for n := range 200 {
			if m := c.next("an answer"); m.ID != n+100 || m.Error != nil {
				t.Fatalf("%s: %+v", c.name, m)
			}
		}
	}
}

// TestAudit: the log has every client of the socket, with its process and user, and those that were refused.
func TestAudit(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	s := serve(t, p)
	s.client("a").conn.Close()
	refused := &client{t: t, conn: s.dial()}
	refused.conn.Write([]byte(`{"parley":1,"dialect":"klingon","client":"` + strings.Repeat("x", 1000) + `"}` + "\n"))
	refused.rest()
	relay(t, p, "flint").exits(0)
	if out, err := p.Command(t, "host", "stop").CombinedOutput(); err != nil {
		t.Fatalf("stop: %v, %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(p.State(), "run", "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(string(data)) {
		var e struct {
			Event, Dialect, Client, Problem string
			PID                             int
			UID                             *int
		}
		if err := json.Unmarshal([]byte(line), &e, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.PID == 0 || e.UID == nil || *e.UID != os.Getuid() || len(e.Client) > 250 || (e.Event == "refused") != (e.Problem != "") {
			t.Errorf("%s", line)
		}
		seen[e.Event+" "+e.Dialect]++
	}
	for event, want := range map[string]int{
		"connected native": 2, "disconnected native": 2, // the second is host stop, which follows what the host waits for
		"refused klingon": 1, "connected flint": 1, "disconnected flint": 1,
	} {
		if seen[event] != want {
			t.Errorf("%s: %d lines, want %d; all: %v", event, seen[event], want, seen)
		}
	}
}
