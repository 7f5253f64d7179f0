package hosts

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/stream/natstest"
)

// A cutPair is a host A that reaches the servers through a link, a host B that has the session s, and a client at each.
type cutPair struct {
	a, b      *host
	link      *natstest.Link // of A
	owner     *client        // at B
	c         *client        // at A
	workspace string
}

// newCutPair starts hosts whose keys last for a time. Both clients follow the session.
func newCutPair(t *testing.T, script, mode string, ttl time.Duration) *cutPair {
	t.Helper()
	f := newFleet(t, script)
	f.silence, f.ttl = cutSilence, ttl
	p := &cutPair{link: natstest.NewLink(t, strings.TrimSuffix(f.url, "/fleet")), workspace: f.place.Work}
	p.a, p.b = f.start("a", "--listen", "127.0.0.1:0", "--store", p.link.URL()+"/fleet"), f.start("b", "--listen", "127.0.0.1:0")
	p.owner, p.c = p.b.client("owner"), p.a.client("c")
	p.owner.create("s", f.place.Work, mode)
	p.owner.must("session/save", map[string]any{"session": "s"}, nil)
	for _, c := range []*client{p.owner, p.c} {
		c.must("session/follow", followParams("s", 1), nil)
	}
	return p
}

// A lostRequest is how a request through the tunnel fails. It sends the request and returns its answer; done waits at B until the
// request was done.
type lostRequest func(p *cutPair, method string, params map[string]any, done func()) message

// lostRequests are the moments in which the connection is cut.
var lostRequests = map[string]lostRequest{
	"request lost": func(p *cutPair, method string, params map[string]any, _ func()) message {
		seen := p.link.StallAt(natstest.Up, `"`+method+`"`)
		id := p.c.send(method, params)
		<-seen
		p.link.Break()
		p.link.Resume()
		return p.c.answer(id)
	},
	"answer lost": func(p *cutPair, method string, params map[string]any, done func()) message {
		p.link.Stall(natstest.Down)
		id := p.c.send(method, params)
		done()
		p.link.Break()
		p.link.Resume()
		return p.c.answer(id)
	},
	"silent": func(p *cutPair, method string, params map[string]any, done func()) message {
		p.link.Stall(natstest.Down)
		id := p.c.send(method, params)
		done()
		p.b.awaitMetric("parley_tunnels", zero)
		p.link.Resume()
		return p.c.answer(id)
	},
	"no connection": func(p *cutPair, method string, params map[string]any, _ func()) message {
		p.link.Refuse()
		id := p.c.send(method, params)
		p.b.awaitMetric("parley_tunnels", zero)
		p.link.Resume()
		return p.c.answer(id)
	},
}

// TestCutRequest: a prompt and the answer to an approval that are lost, or whose answer is, are done once.
func TestCutRequest(t *testing.T) {
	t.Parallel()
	for name, send := range lostRequests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newCutPair(t, askingScript, "prompt", 15*time.Second)
			m := send(p, "turn/prompt", promptParams("s", "p-1", "Go."), func() { p.owner.until("turn_started", 1) })
			turn := turnOf(t, m)
			again := p.c.call("turn/prompt", promptParams("s", "p-1", "Go."))
			if turnOf(t, again) != turn || turn == "" || turn != p.owner.until("turn_started", 1).Turn {
				t.Errorf("the prompt is answered with %s and %s", m.Result, again.Result)
			}
			p.c.until("approval_asked", 1)
			m = send(p, "approval/answer", map[string]any{"session": "s", "approval": "a-1", "allow": true}, func() { p.owner.until("approval_answered", 1) })
			if m.Error != nil && !m.isAnswered("") && !m.isUnknown() {
				t.Errorf("the answer to the approval: %+v", m.Error)
			}
			p.checkOnce(t, turn, true)
		})
	}
}

// TestCutApproval: a client at the host of the session answers an approval while that of a client through the tunnel waits for the
// connection: the first one counts, the second one is refused.
func TestCutApproval(t *testing.T) {
	t.Parallel()
	p := newCutPair(t, askingScript, "prompt", 15*time.Second)
	p.c.prompt("s", "p-1", "Go.")
	turn := p.c.until("approval_asked", 1).Turn
	p.link.Refuse()
	id := p.c.send("approval/answer", map[string]any{"session": "s", "approval": "a-1", "allow": true})
	p.owner.must("approval/answer", map[string]any{"session": "s", "approval": "a-1", "allow": false}, nil)
	p.owner.until("approval_answered", 1)
	p.link.Resume()
	if m := p.c.answer(id); !m.isAnswered("by owner: denied") && !m.isUnknown() { // unknown: it was sent before the cut was noticed
		t.Errorf("the second answer: %+v", m)
	}
	p.checkOnce(t, turn, false)
}

// isAnswered reports whether a request was refused because the approval was answered already, with a text in the error.
func (m message) isAnswered(text string) bool {
	return m.Error != nil && m.Error.Code == codeAnswered && m.Error.Data.Kind == "answered" && strings.Contains(m.Error.Message, text)
}

// isUnknown reports whether it is not known if a request was done: the connection ended on which it was sent.
func (m message) isUnknown() bool {
	return m.Error != nil && m.Error.Data.Kind == "unsaved" && m.Error.Data.Outcome == "unknown"
}

// checkOnce checks that the session has one turn with one approval, which was answered once.
func (p *cutPair) checkOnce(t *testing.T, turn string, allowed bool) {
	t.Helper()
	p.owner.until("turn_ended", 1)
	p.c.until("turn_ended", 1)
	count := map[string]int{}
	for _, r := range p.c.checkRecords(1) {
		count[r.Kind]++
		if r.Turn != "" && r.Turn != turn {
			t.Errorf("record %d is of the turn %s, not %s", r.Seq, r.Turn, turn)
		}
		if r.Kind == "approval_answered" && strings.Contains(string(r.Data), `"allowed":true`) != allowed {
			t.Errorf("the answer is %s", r.Data)
		}
	}
	for _, kind := range []string{"user_message", "turn_started", "approval_answered"} {
		if count[kind] != 1 {
			t.Errorf("%d records of %s", count[kind], kind)
		}
	}
}

// turnOf returns the turn that a prompt has begun.
func turnOf(t *testing.T, m message) string {
	t.Helper()
	if m.Error != nil {
		t.Fatalf("a prompt: %+v", m.Error)
	}
	var result struct {
		Turn string `json:"turn"`
	}
	if err := json.Unmarshal(m.Result, &result); err != nil {
		t.Fatal(err)
	}
	return result.Turn
}

// TestCutKill kills the host of a session while the connection of the other one is cut: that takes over, and its clients see the end
// of the turn.
func TestCutKill(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]struct {
		begin  func(*natstest.Link)
		length time.Duration
	}{
		"refuse": {(*natstest.Link).Refuse, 0},
		"break":  {(*natstest.Link).Break, 0},
		"stall":  {func(l *natstest.Link) { l.Stall(natstest.Up); l.Stall(natstest.Down) }, hostTTL + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newCutPair(t, "text \"0000000 \"\ncall shell {\"command\":\"sleep 1000\"}\nnext\ntext \"0000000 \"\nnext\ntext \"0000000 \"\n", "danger-full-access", hostTTL)
			second := p.a.client("second")
			second.must("session/follow", followParams("s", 1), nil)
			p.c.prompt("s", "p-1", "Go.")
			turn := p.c.until("tool_started", 1).Turn
			cut.begin(p.link)
			p.b.process.Kill()
			repeated := p.c.send("turn/prompt", promptParams("s", "p-1", "Go."))
			elapse(t, cut.length)
			p.link.Resume()
			for _, c := range []*client{p.c, second} {
				if ended := c.until("turn_ended", 1); ended.Turn != turn || !strings.Contains(string(ended.Data), "interrupted") {
					t.Errorf("%s: the end of the turn %s is %+v", c.name, turn, ended)
				}
			}
			if got := turnOf(t, p.c.answer(repeated)); got != turn {
				t.Errorf("the repeated prompt has begun the turn %s after %s", got, turn)
			}
			p.c.prompt("s", "p-2", "Again.")
			last := p.c.until("turn_started", 2).Seq
			second.until("turn_started", 2)
			want := newContract(t, "c", "s", false)
			want.check(p.c.everything())
			got := newContract(t, "second", "s", false)
			got.check(second.everything())
			for i, r := range want.records[:last] {
				if string(r.Data) != string(got.records[i].Data) {
					t.Errorf("record %d is %s for one client and %s for another", r.Seq, r.Data, got.records[i].Data)
				}
			}
		})
	}
}

// everything returns what the client was sent of sessions so far.
func (c *client) everything() []entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[:len(c.all):len(c.all)]
}
