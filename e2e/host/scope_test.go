package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// token makes a token of this scope and returns its secret.
func (c *client) token(role string, scope map[string]any) string {
	c.t.Helper()
	params := map[string]any{"role": role, "name": role}
	for name, value := range scope {
		params[name] = value
	}
	var made struct {
		Token string `json:"token"`
	}
	c.must("token/create", params, &made)
	return made.Token
}

// refused wants a request to be refused with this code.
func (c *client) refused(method string, params map[string]any, code int) {
	c.t.Helper()
	if m := c.call(method, params); m.Error == nil || m.Error.Code != code {
		c.t.Errorf("%s: %s %v: %+v, want %d", c.name, method, params, m, code)
	}
}

// listed returns the ids of sessions/list.
func (c *client) listed() (ids []string) {
	c.t.Helper()
	var page struct {
		Sessions []struct {
			ID string `json:"id"`
		} `json:"sessions"`
		Total int `json:"total"`
	}
	c.must("sessions/list", map[string]any{"count": true}, &page)
	for _, s := range page.Sessions {
		ids = append(ids, s.ID)
	}
	if page.Total != len(ids) {
		c.t.Errorf("%s: %d sessions are counted, %v are listed", c.name, page.Total, ids)
	}
	slices.Sort(ids)
	return ids
}

// TestScopes: what is outside the scope of a token is not there for its connections: by no request, in no list, in no
// notification; and nothing can be made there.
func TestScopes(t *testing.T) {
	t.Parallel()
	p := place(t, "text One.\n")
	other := filepath.Join(p.Home, "other")
	if err := os.MkdirAll(filepath.Join(p.Work, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p, "--listen", "127.0.0.1:0")
	owner := s.client("owner")
	for id, dir := range map[string]string{"a": p.Work, "b": p.Work, "c": other} {
		owner.must("session/create", map[string]any{"workspace": dir, "id": id}, nil)
		owner.must("session/save", map[string]any{"session": id}, nil)
	}
	for _, params := range []map[string]any{
		{"role": "driver", "name": "x", "sessions": []string{}},
		{"role": "driver", "name": "x", "workspace": "sub"},
		{"role": "driver", "name": "x", "workspace": filepath.Join(p.Work, "none")},
		{"role": "driver", "name": "x", "sessions": "a"},
		{"role": "driver", "name": "x", "expires": "2020-01-01T00:00:00Z"},
		{"role": "driver", "name": "x", "expires": "tomorrow"},
	} {
		owner.refused("token/create", params, -32602)
	}
	one := s.webClient("one", owner.token("owner", map[string]any{"sessions": []string{"a"}, "expires": time.Now().Add(time.Hour)}))
	folder := s.webClient("folder", owner.token("owner", map[string]any{"workspace": p.Work}))
	for c, outside := range map[*client]string{one: "b", folder: "c"} {
		c.must("host/watch", map[string]any{}, nil)
		for _, method := range []string{
			"session/open", "session/state", "session/unfollow", "session/records", "session/context", "session/usage", "session/save",
			"session/remove", "session/fork", "session/close", "session/compact", "tools/list", "servers/list", "retry/abort", "turn/interrupt",
		} {
			c.refused(method, map[string]any{"session": outside}, -32003)
		}
		c.refused("session/follow", map[string]any{"session": outside, "from": 1}, -32003)
		c.refused("session/change", map[string]any{"session": outside, "settings": map[string]any{"name": "x"}}, -32003)
		c.refused("turn/prompt", map[string]any{"session": outside, "id": "p", "blocks": []map[string]any{{"kind": "text", "text": "x"}}}, -32003)
		c.refused("session/create", map[string]any{"workspace": other}, -32004)
		c.refused("token/list", map[string]any{}, -32004)
		c.refused("workspace/find", map[string]any{"workspace": other, "query": "x"}, -32004)
		c.refused("grants/list", map[string]any{"workspace": other}, -32004)
		c.refused("grants/add", map[string]any{"workspace": other, "target": map[string]any{"type": "command", "command": "true"}, "level": "execute"}, -32004)
		c.refused("workspace/read", map[string]any{"session": outside, "path": "x"}, -32003)
		c.refused("command/run", map[string]any{"session": outside, "id": "c", "command": "true"}, -32004)
		c.refused("token/create", map[string]any{"role": "viewer", "name": "x"}, -32004)
		c.refused("token/revoke", map[string]any{"id": "t"}, -32004)
	}
	one.refused("session/create", map[string]any{"workspace": p.Work}, -32004)
	one.refused("session/fork", map[string]any{"session": "a"}, -32004)
	folder.refused("session/change", map[string]any{"session": "b", "settings": map[string]any{"dir": other}}, -32004)
	folder.must("session/change", map[string]any{"session": "b", "settings": map[string]any{"dir": filepath.Join(p.Work, "sub")}}, nil)
	if got := one.listed(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("of one session: %v", got)
	}
	if got := folder.listed(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("of one folder: %v", got)
	}
	var info struct {
		Sessions int `json:"sessions"`
	}
	if one.must("host/info", map[string]any{}, &info); info.Sessions != 1 {
		t.Errorf("%d sessions are counted", info.Sessions)
	}

	// What happens outside is not noticed; what happens inside is.
	owner.must("session/change", map[string]any{"session": "c", "settings": map[string]any{"name": "secret"}}, nil)
	owner.must("session/close", map[string]any{"session": "c", "end": true}, nil)
	for _, shown := range []string{"once", "twice"} { // the first notification of a may come before those of other sessions
		owner.must("session/change", map[string]any{"session": "a", "settings": map[string]any{"name": shown}}, nil)
		for _, c := range []*client{one, folder} {
			for name := ""; name != shown; {
				m := c.notified("host/session")
				name = m.Params.Summary.Name
				if m.Params.Session == "c" || c == one && m.Params.Session != "a" {
					t.Errorf("%s is notified of %s", c.name, m.Params.Session)
				}
			}
		}
	}

	// Another owner moves a session out of the folder: its records end for those inside.
	folder.must("session/follow", map[string]any{"session": "a", "from": 1}, nil)
	owner.must("session/change", map[string]any{"session": "a", "settings": map[string]any{"dir": other}}, nil)
	owner.must("session/change", map[string]any{"session": "a", "settings": map[string]any{"name": "hidden"}}, nil)
	folder.refused("session/state", map[string]any{"session": "a"}, -32003)
	for _, r := range folder.seen {
		if strings.Contains(string(r.Data), "hidden") {
			t.Errorf("it is sent %s", r.Data)
		}
	}
	if code, _ := s.status("/v1/flint", owner.token("driver", map[string]any{"sessions": []string{"a"}})); code != 403 {
		t.Errorf("another protocol with a token of one session: %d", code)
	}
}

// TestViewerReads: a viewer reads a session that is on disk without opening it: nothing is written, and the turn that a
// killed host has left stays open until a driver opens the session.
func TestViewerReads(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p, "--listen", "127.0.0.1:0")
	first := s.client("first")
	first.must("session/create", map[string]any{"workspace": p.Work, "id": "s"}, nil)
	first.follow("s", 1)
	first.prompt("s", "p-1", "Go.")
	first.until("approval_asked")
	s.process.Kill()
	s = serve(t, p, "--listen", "127.0.0.1:0")
	owner := s.client("owner")
	viewer := s.webClient("viewer", owner.token("viewer", nil))
	var opened struct {
		Head  int `json:"head"`
		State struct {
			Turn string `json:"turn"`
			Busy bool   `json:"busy"`
		} `json:"state"`
	}
	viewer.must("session/open", map[string]any{"session": "s"}, &opened)
	if opened.State.Turn == "" || opened.State.Busy {
		t.Errorf("the turn was closed: %+v", opened)
	}
	if head := viewer.follow("s", 1); head != opened.Head {
		t.Errorf("the head was %d, and is %d", opened.Head, head)
	}
	viewer.refused("session/change", map[string]any{"session": "s", "settings": map[string]any{}}, -32004)
	before := viewer.until("approval_asked")
	owner.must("session/open", map[string]any{"session": "s"}, nil)
	after := viewer.until("turn_ended")
	if n := before[len(before)-1].Seq; after[0].Seq != n+1 {
		t.Errorf("after record %d comes %d", n, after[0].Seq)
	}
}

// TestHostWatch: a client is notified of the sessions that are open, and of each session that changes: what waits, how many clients there are, its end.
func TestHostWatch(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p)
	watcher, owner := s.client("watcher"), s.client("owner")
	owner.must("session/create", map[string]any{"workspace": p.Work, "id": "open"}, nil)
	watcher.must("host/watch", map[string]any{}, nil)
	until := func(what string, ok func(hostSession) bool) {
		t.Helper()
		for !ok(watcher.notified("host/session").Params.hostSession) {
		}
	}
	until("the open session", func(n hostSession) bool { return n.Session == "open" && n.Open })
	owner.must("session/create", map[string]any{"workspace": p.Work, "id": "s", "settings": map[string]any{"name": "mine"}}, nil)
	until("the new session", func(n hostSession) bool {
		return n.Session == "s" && n.Open && n.Clients == 1 && n.Summary.Name == ""
	})
	owner.must("session/save", map[string]any{"session": "s"}, nil)
	until("the saved session", func(n hostSession) bool { return n.Session == "s" && n.Summary.Name == "mine" })
	owner.prompt("s", "p-1", "Go.")
	until("the approval", func(n hostSession) bool { return n.Waiting == 1 && n.Status == "waiting" && n.Head > 1 })
	owner.must("turn/interrupt", map[string]any{"session": "s"}, nil)
	until("the end of the turn", func(n hostSession) bool { return n.Waiting == 0 && n.Status == "idle" && n.Summary.Turns == 1 })
	owner.must("session/close", map[string]any{"session": "s", "end": true}, nil)
	until("the end of the session", func(n hostSession) bool { return !n.Open && !n.Removed && n.Summary.Turns == 1 })
	owner.must("session/remove", map[string]any{"session": "s"}, nil)
	until("the removal", func(n hostSession) bool { return n.Removed })
}

// TestAuditLog: the log of a host has each answer with its client, in every protocol, and what only owners may do.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p, "--listen", "127.0.0.1:0")
	owner := s.client("owner")
	reviewer := s.webClient("phone", owner.token("reviewer", nil))
	owner.must("session/create", map[string]any{"workspace": p.Work, "id": "s"}, nil)
	owner.follow("s", 1)
	owner.prompt("s", "p-1", "Go.")
	asked := owner.until("approval_asked")
	var approval struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(asked[len(asked)-1].Data, &approval); err != nil {
		t.Fatal(err)
	}
	reviewer.must("approval/answer", map[string]any{"session": "s", "approval": approval.ID, "allow": false}, nil)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(s.ready.TokenFile), "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var answers, methods []string
	for line := range strings.Lines(string(data)) {
		var e struct {
			Event, Token, Role, Client, Session, Target string
			Allowed                                     *bool
		}
		if err := json.Unmarshal([]byte(line), &e, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Event == "answered" && e.Token != "" && e.Role == "reviewer" && e.Client == "phone" && e.Session == "s" && e.Allowed != nil && !*e.Allowed:
			answers = append(answers, e.Target)
		case strings.Contains(e.Event, "/"):
			methods = append(methods, e.Event)
		}
	}
	if !slices.Equal(answers, []string{approval.ID}) || !slices.Equal(methods, []string{"token/create"}) {
		t.Errorf("answers %v, methods %v in\n%s", answers, methods, data)
	}
}
