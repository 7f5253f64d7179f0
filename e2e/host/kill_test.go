package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// A killing is a host that is killed in a phase, and its clients.
type killing struct {
	*testing.T
	place *stage.Place
	host  *server
	a, b  *watcher // native clients, the first of which prompts
	flint *relayed
	sf    *relayed
	held  *stage.Held
}

// A watcher is a native client with every record that it has seen.
type watcher struct {
	*client
	seen []record
}

// A phase is when a host is killed.
type phase struct {
	name   string
	mode   string
	script string
	reach  func(*killing)
	ran    int    // how often the command ran that the turn asks for
	reason string // for which the turn has ended; "": there is none, or it ended before
	check  func(*killing, state)
	runs   string // the prompt that runs by itself when a client opens the session again; "": none does
}

// state is the part of State that is looked at.
type state struct {
	Head     int            `json:"head"`
	Turns    int            `json:"turns"`
	Busy     bool           `json:"busy"`
	Settings map[string]any `json:"settings"`
}

const (
	free  = "danger-full-access"
	call  = `call shell {"command":"echo ran >> ran.txt"}` + "\n"
	calls = `call shell {"command":"{ echo ran >> ran.txt; echo started >&3; sleep 1000; } 3>hold"}` + "\n"
)

var phases = []phase{
	{
		name: "before acceptance", mode: free, script: call, ran: -1,
		reach: func(k *killing) { k.a.write(promptLine("p-1")) },
	},
	{
		name: "thinking", mode: free, script: "hang\n", reason: "interrupted",
		reach: func(k *killing) { k.prompt(); k.both("step_started") },
	},
	{
		name: "streaming", mode: free, script: "text Half an ans\nhang\n", reason: "interrupted",
		reach: func(k *killing) {
			k.prompt()
			k.both("text_delta")
			k.flint.until("item/agentMessage/delta", "Half an ans")
			k.sf.until(`"text_delta"`, "Half an ans")
		},
	},
	{
		name: "waiting for an approval", mode: "prompt", script: call, reason: "interrupted",
		reach: func(k *killing) {
			k.prompt()
			k.both("approval_asked")
			k.flint.until("requestApproval")
			k.sf.until("permission_request")
		},
	},
	{
		name: "tool running", mode: free, script: calls, ran: 1, reason: "interrupted",
		reach: func(k *killing) {
			k.held = stage.Holding(k, k.place.Work)
			k.prompt()
			k.both("tool_started")
			k.held.Started()
		},
	},
	{
		name: "between steps", mode: free, script: call + "next\nhang\n", ran: 1, reason: "interrupted",
		reach: func(k *killing) { k.prompt(); k.both("tool_ended"); k.both("step_started") },
	},
	{
		name: "with a follow-up", mode: free, script: "hang\n", reason: "interrupted",
		reach: func(k *killing) {
			k.prompt()
			k.both("step_started")
			k.b.must("turn/follow_up", map[string]any{"session": "s-1", "id": "p-later", "blocks": words("Later.")}, nil)
		},
		runs: "p-later",
	},
	{
		name: "compacting", mode: free, script: call + "next\ntext Done.\nnext\nhang\n", ran: 1,
		reach: func(k *killing) {
			k.prompt()
			k.both("turn_ended")
			k.a.must("session/compact", map[string]any{"session": "s-1"}, nil)
			k.both("compaction_started")
		},
	},
	{
		name: "idle, after a change", mode: free, script: call + "next\ntext Done.\n", ran: 1,
		reach: func(k *killing) {
			k.prompt()
			k.both("turn_ended")
			k.b.must("session/change", map[string]any{"session": "s-1", "settings": map[string]any{"name": "Renamed"}}, nil)
		},
		check: func(k *killing, now state) {
			if now.Settings["name"] != "Renamed" {
				k.Errorf("settings: %v", now.Settings)
			}
		},
	},
}

// TestKilledInEachPhase kills a host with clients of three dialects on one session, in each phase of a turn, and starts it again.
// Every client goes on with the next number and has what one has that reads everything afterwards; what was acknowledged is there;
// a prompt that is repeated, and a command that ran, do not run again; the next turn comes to its end, for all clients.
func TestKilledInEachPhase(t *testing.T) {
	t.Parallel()
	for _, ph := range phases {
		t.Run(ph.name, func(t *testing.T) {
			k := &killing{T: t, place: place(t, ph.script)}
			k.host = serve(t, k.place)
			k.a, k.b = k.watch("a"), k.watch("b")
			k.a.must("session/create", map[string]any{"workspace": k.place.Work, "id": "s-1", "settings": map[string]any{"mode": ph.mode}}, nil)
			k.a.must("session/save", map[string]any{"session": "s-1"}, nil)
			k.followed()
			k.attach()
			ph.reach(k)
			k.kill()
			k.place.Plays(t, "text Here I am.\nnext\ntext And later.\n")
			k.again(ph)
		})
	}
}

// watch connects a native client.
func (k *killing) watch(name string) *watcher { return &watcher{client: k.host.client(name)} }

// followed has both native clients follow the session from their next number on.
func (k *killing) followed() {
	k.Helper()
	for _, w := range []*watcher{k.a, k.b} {
		w.must("session/follow", map[string]any{"session": "s-1", "from": len(w.seen) + 1, "transient": []string{"text_delta", "compaction_started"}}, nil)
	}
}

// attach has clients of two other dialects join the session.
func (k *killing) attach() {
	k.Helper()
	k.flint = relay(k.T, k.place, "flint")
	k.flint.send(flintHello)
	k.flint.until(`"result"`)
	k.flint.send(`{"id":1,"method":"thread/resume","params":{"threadId":"s-1"}}`)
	k.flint.until(`"id":1`, `"result"`)
	k.sf = relay(k.T, k.place, "scaiflux", "serve", "--resume", "s-1")
	k.sf.until(`"ready"`, "s-1")
}

func (k *killing) prompt() { k.Helper(); k.a.prompt("s-1", "p-1", "Go.") }

// both reads up to a record of that kind, as both native clients.
func (k *killing) both(kind string) {
	k.Helper()
	k.a.upTo(func(r record) bool { return r.Kind == kind })
	k.b.upTo(func(r record) bool { return r.Kind == kind })
}

// upTo reads records up to the one that is meant.
func (w *watcher) upTo(is func(record) bool) {
	w.t.Helper()
	for {
		r := w.record("a record")
		w.see(r)
		if is(r) {
			return
		}
	}
}

// see notes a record, which must be the next one.
func (w *watcher) see(r record) {
	w.t.Helper()
	if r.Seq == 0 {
		return
	}
	if w.seen = append(w.seen, r); r.Seq != len(w.seen) {
		w.t.Fatalf("%s: record %d comes where %d should", w.name, r.Seq, len(w.seen))
	}
}

// kill kills the host. What the native clients were sent counts as seen; the other ones are processes, which end with an error.
func (k *killing) kill() {
	k.Helper()
	k.host.process.Kill()
	for _, w := range []*watcher{k.a, k.b} {
		for _, r := range w.client.seen {
			w.see(r)
		}
		for m, more := w.read(); more; m, more = w.read() {
			if m.Method == "record" {
				w.see(m.Params.Record)
			}
		}
	}
	for _, r := range []*relayed{k.flint, k.sf} {
		if code := r.process.Code(); code != 1 || !strings.Contains(r.process.Stderr.String(), "the host has ended") {
			k.Errorf("a relay ends with %d: %s", code, r.process.Stderr)
		}
	}
	if k.held != nil {
		k.held.WantGone()
	}
}

// again starts the host again, and has all clients go on.
func (k *killing) again(ph phase) {
	k.Helper()
	k.host = serve(k, k.place)
	seenByA, seenByB := k.a.seen, k.b.seen
	k.a, k.b = k.watch("a"), k.watch("b")
	k.a.client.seen, k.b.client.seen = nil, nil
	k.a.seen, k.b.seen = seenByA, seenByB
	k.followed()
	k.attach()
	var now state
	k.a.must("session/state", map[string]any{"session": "s-1"}, &now)
	switch {
	case ph.runs != "":
		k.endOf(ph.runs)
		k.b.must("turn/follow_up", map[string]any{"session": "s-1", "id": ph.runs, "blocks": words("Later.")}, nil) // the repeat
	case now.Busy:
		k.Errorf("after the start: %+v", now)
	}
	if ph.check != nil {
		ph.check(k, now)
	}
	var first, next struct {
		Turn string `json:"turn"`
	}
	k.a.must("turn/prompt", map[string]any{"session": "s-1", "id": "p-1", "blocks": words("Go.")}, &first)
	ended := func(r record) bool { return r.Kind == "turn_ended" && r.Turn == first.Turn }
	if !slices.ContainsFunc(k.a.seen, ended) {
		k.a.upTo(ended)
	}
	k.b.must("turn/prompt", map[string]any{"session": "s-1", "id": "p-2", "blocks": words("Go on."), "if_busy": "queue"}, &next)
	k.endOf("p-2")
	k.flint.until("turn/completed", `"completed"`)
	k.sf.until("turn_complete", `"end_turn"`)
	k.compare(ph)
}

// endOf reads up to the end of the turn of a prompt.
func (k *killing) endOf(prompt string) {
	k.Helper()
	for _, w := range []*watcher{k.a, k.b} {
		turn := ""
		of := func(r record) bool {
			if r.Kind == "user_message" && strings.Contains(string(r.Data), fmt.Sprintf(`"id":%q`, prompt)) {
				turn = r.Turn
			}
			return turn != "" && r.Kind == "turn_ended" && r.Turn == turn
		}
		w.upTo(of)
	}
}

// compare looks at what all have seen in the end.
func (k *killing) compare(ph phase) {
	k.Helper()
	c := k.watch("c")
	c.follow("s-1", 1)
	for len(c.seen) < max(len(k.a.seen), len(k.b.seen)) {
		c.see(c.record("the records"))
	}
	prompts, reason := 0, ""
	for i, r := range c.seen {
		for _, w := range []*watcher{k.a, k.b} {
			if i < len(w.seen) && (w.seen[i].Kind != r.Kind || string(w.seen[i].Data) != string(r.Data)) {
				k.Errorf("%s has seen %+v, the record is %+v", w.name, w.seen[i], r)
			}
		}
		if r.Kind == "user_message" && strings.Contains(string(r.Data), `"id":"p-1"`) {
			prompts++
		}
		if r.Kind == "turn_ended" && reason == "" {
			reason = string(r.Data)
		}
	}
	if prompts != 1 {
		k.Errorf("the prompt is there %d times", prompts)
	}
	if !strings.Contains(reason, `"reason":"`+ph.reason) {
		k.Errorf("the first turn ended with %s", reason)
	}
	text, _ := os.ReadFile(filepath.Join(k.place.Work, "ran.txt")) // there is none if it did not run
	if ran := strings.Count(string(text), "ran\n"); ran != ph.ran && (ph.ran >= 0 || ran > 1) {
		k.Errorf("the command ran %d times, not %d", ran, ph.ran)
	}
}

// words are blocks of a text.
func words(text string) []map[string]any { return []map[string]any{{"kind": "text", "text": text}} }

// promptLine is a prompt whose answer is not waited for.
func promptLine(id string) string {
	return `{"jsonrpc":"2.0","id":1000,"method":"turn/prompt","params":{"session":"s-1","id":"` + id + `","blocks":[{"kind":"text","text":"Go."}]}}`
}
