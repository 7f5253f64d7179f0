package hosts

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
)

// askingScript is a model that runs a command, for which the user is asked, and ends.
const askingScript = `call shell {"command":"echo hello > out.txt"}
next
text Done.
next
text Again.
`

// TestMove: an idle session that no client has open moves to the host where a client opens it.
func TestMove(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "text One.\nnext\ntext Two.\n")
	a, b := f.start("a"), f.start("b")
	first := b.client("first")
	first.create("s", f.place.Work, "workspace-write")
	first.follow("s", 1)
	first.prompt("s", "p-1", "Go.")
	first.until("turn_ended", 1)
	first.must("session/close", map[string]any{"session": "s"}, nil)
	second := a.client("second")
	if o := second.open("s"); o.Via != nil || o.Head != len(first.records) {
		t.Errorf("opened %+v after %d records", o, len(first.records))
	}
	second.follow("s", 1)
	second.prompt("s", "p-2", "Go on.")
	second.until("turn_ended", 2)
	second.checkRecords(1)
}

// TestRelay: a session that works on one host is used from another: it is followed, an approval is answered, it is prompted, and
// errors are those of its host.
func TestRelay(t *testing.T) {
	t.Parallel()
	f := newFleet(t, askingScript)
	a, b := f.start("a"), f.start("b")
	owner := b.client("owner")
	owner.create("s", f.place.Work, "prompt")
	b.client("sibling").open("s") // before it is stored
	owner.follow("s", 1)
	owner.prompt("s", "p-1", "Go.")
	owner.until("approval_asked", 1)
	c := a.client("c")
	o := c.open("s")
	if o.Via == nil || o.Via.Host != b.ready.Host || o.Via.Name == "" || o.State.Status != "waiting" {
		t.Fatalf("opened %+v, want it via %s", o, b.ready.Host)
	}
	var list struct {
		Sessions []struct {
			Owner struct {
				Host string `json:"host"`
				Name string `json:"name"`
				Live bool   `json:"live"`
			} `json:"owner"`
		} `json:"sessions"`
	}
	for _, client := range []*client{c, owner} { // of another host, and of the one that has the session
		client.must("sessions/list", map[string]any{}, &list)
		if len(list.Sessions) != 1 || list.Sessions[0].Owner.Host != b.ready.Host || list.Sessions[0].Owner.Name == "" || !list.Sessions[0].Owner.Live {
			t.Errorf("%s: the list is %+v", client.name, list)
		}
	}
	c.follow("s", 1)
	c.until("approval_asked", 1)
	c.must("approval/answer", map[string]any{"session": "s", "approval": "a-1", "allow": true}, nil)
	late := owner.call("approval/answer", map[string]any{"session": "s", "approval": "a-1", "allow": false})
	if late.Error == nil || late.Error.Code != -32007 || !strings.Contains(late.Error.Message, "by c: allowed") {
		t.Errorf("a late answer: %+v", late.Error)
	}
	c.until("turn_ended", 1)
	c.prompt("s", "p-2", "Again.")
	c.until("turn_ended", 2)
	owner.until("turn_ended", 2)
	if bad := c.call("session/follow", map[string]any{"session": "s", "from": 1000}); bad.Error == nil || bad.Error.Code != -32602 {
		t.Errorf("follow after the end: %+v", bad.Error)
	}
	c.checkRecords(1)
	owner.checkRecords(1)
	if len(c.records) != len(owner.records) || c.deltas == 0 {
		t.Errorf("%d records and %d deltas through the tunnel, %d at the host", len(c.records), c.deltas, len(owner.records))
	}
	c.must("session/close", map[string]any{"session": "s"}, nil)
	owner.await("client/left", func() bool {
		for _, n := range owner.notes {
			if n.Method == "client/left" {
				return true
			}
		}
		return false
	})
}

// TestKilledOwner kills the host of a session while a client of another host uses it through a tunnel, in each phase of a turn:
// the client gets the rest from its own host, and its repeated prompt returns the turn that it began.
func TestKilledOwner(t *testing.T) {
	t.Parallel()
	for name, phase := range map[string]struct {
		script string
		until  func(c *client)
	}{
		"approval": {askingScript, func(c *client) { c.until("approval_asked", 1) }},
		"tool":     {`call shell {"command":"sleep 100"}` + "\nnext\ntext x\nnext\ntext Again.\n", func(c *client) { c.until("tool_started", 1) }},
		"model":    {"text a\nhang\nnext\ntext Again.\n", func(c *client) { c.until("step_started", 1) }},
		"idle":     {"text a\nnext\ntext Again.\n", func(c *client) { c.until("turn_ended", 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, phase.script)
			a, b := f.start("a"), f.start("b")
			mode := "danger-full-access"
			if name == "approval" {
				mode = "prompt"
			}
			owner := b.client("owner")
			owner.create("s", f.place.Work, mode)
			owner.must("session/save", map[string]any{"session": "s"}, nil)
			c := a.client("c")
			c.follow("s", 1)
			c.prompt("s", "p-1", "Go.")
			phase.until(c)
			b.process.Kill()
			start := time.Now()
			repeated := c.call("turn/prompt", promptParams("s", "p-1", "Go."))
			if repeated.Error != nil || !strings.Contains(string(repeated.Result), `"turn"`) {
				t.Errorf("the prompt is repeated: %+v %s", repeated.Error, repeated.Result)
			}
			t.Logf("takeover after %s, with a TTL of %s", time.Since(start), f.ttl)
			c.until("turn_ended", 1)
			c.prompt("s", "p-2", "Again.") // the model of the other host begins its script anew
			c.until("user_message", 2)
			c.checkRecords(1)
		})
	}
}

// TestDrain: a host that is drained takes nothing new, and its sessions go on elsewhere: one that is idle at once, one that works
// after its turn.
func TestDrain(t *testing.T) {
	t.Parallel()
	f := newFleet(t, askingScript)
	a, b := f.start("a"), f.start("b")
	owner := b.client("owner")
	owner.create("idle", f.place.Work, "prompt")
	owner.must("session/save", map[string]any{"session": "idle"}, nil)
	owner.create("busy", f.place.Work, "prompt")
	owner.follow("busy", 1)
	owner.prompt("busy", "p-1", "Go.")
	owner.until("approval_asked", 1)
	c := a.client("c")
	c.follow("busy", 1)
	drained := stage.Launch(t, f.place.Command(t, "hosts", "drain", b.ready.Host, "--store", f.url))
	owner.await("the end of the idle session", func() bool {
		for _, n := range owner.notes {
			if n.Method == "session/closed" && n.Params.Session == "idle" && n.Params.Reason == "closing" {
				return true
			}
		}
		return false
	})
	for method, params := range map[string]map[string]any{
		"session/create": {"workspace": f.place.Work}, "session/open": {"session": "idle"},
	} {
		if m := owner.call(method, params); m.Error == nil || m.Error.Data.Kind != "closing" {
			t.Errorf("%s on a host that is drained: %+v", method, m)
		}
	}
	c.open("idle")
	c.must("approval/answer", map[string]any{"session": "busy", "approval": "a-1", "allow": true}, nil)
	c.until("turn_ended", 1)
	if code := drained.Code(); code != 0 {
		t.Errorf("hosts drain exits with %d: %s", code, drained.Stderr)
	}
	c.prompt("busy", "p-2", "Again.")
	c.until("user_message", 2)
	c.checkRecords(1)
}

// TestPlacement: a session runs on a host that has its folder. If none has it, it can be read and forked.
func TestPlacement(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "text One.\nnext\ntext Two.\n")
	a, b := f.start("a"), f.start("b", "--label", "disk=big")
	first := b.client("first")
	first.create("s", f.place.Work, "workspace-write")
	first.follow("s", 1)
	first.prompt("s", "p-1", "Go.")
	first.until("turn_ended", 1)
	first.must("session/close", map[string]any{"session": "s"}, nil)
	c := a.client("c")
	for _, placement := range []string{"host:" + b.ready.Host, "label:disk=big"} {
		var o opened
		c.must("session/open", map[string]any{"session": "s", "placement": placement}, &o)
		if o.Via == nil || o.Via.Host != b.ready.Host {
			t.Errorf("placement %s: %+v", placement, o)
		}
		c.must("session/close", map[string]any{"session": "s"}, nil)
	}
	for _, placement := range []string{"host:h-none", "label:disk=small", "there"} {
		if m := c.call("session/open", map[string]any{"session": "s", "placement": placement}); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("placement %s: %+v", placement, m)
		}
	}
	moved := f.place.Work + ".moved"
	if err := os.Rename(f.place.Work, moved); err != nil {
		t.Fatal(err)
	}
	if o := c.open("s"); o.Via != nil || o.Head != len(first.records) {
		t.Errorf("a session whose folder no host has: %+v", o)
	}
	c.follow("s", 1)
	if m := c.call("turn/prompt", promptParams("s", "p-2", "Go.")); m.Error == nil || m.Error.Code != -32015 || m.Error.Data.Kind != "workspace_elsewhere" {
		t.Errorf("a prompt without the folder: %+v", m.Error)
	}
	var fork struct {
		Session string `json:"session"`
	}
	c.must("session/fork", map[string]any{"session": "s", "workspace": moved}, &fork)
	c.prompt(fork.Session, "p-3", "Go.")
}

// TestStoppedOwner stops the host of a session for longer than its key lasts, and lets it go on: the session is on another host
// then, and the client of the first one is notified.
func TestStoppedOwner(t *testing.T) {
	t.Parallel()
	f := newFleet(t, askingScript)
	a, b := f.start("a"), f.start("b")
	owner := b.client("owner")
	owner.create("s", f.place.Work, "prompt")
	owner.follow("s", 1)
	owner.prompt("s", "p-1", "Go.")
	owner.until("approval_asked", 1)
	c := a.client("c")
	c.follow("s", 1)
	c.until("approval_asked", 1)
	b.process.Signal(syscall.SIGSTOP)
	c.until("turn_ended", 1)
	c.prompt("s", "p-2", "Again.")
	c.until("user_message", 2)
	b.process.Signal(syscall.SIGCONT)
	owner.call("approval/answer", map[string]any{"session": "s", "approval": "a-1", "allow": true}) // of a turn that has ended
	owner.await("moved", func() bool {
		for _, n := range owner.notes {
			if n.Method == "session/closed" && n.Params.Reason == "moved" {
				return true
			}
		}
		return false
	})
	c.checkRecords(1)
	reader := a.client("reader")
	reader.follow("s", 1)
	reader.until("user_message", 2)
	for _, r := range reader.checkRecords(1) {
		if r.Kind == "approval_answered" && strings.Contains(string(r.Data), `"allowed":true`) {
			t.Errorf("the former host has appended %s", r.Data)
		}
	}
}
