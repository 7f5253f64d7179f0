package hosts

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream/natstest"
)

// cutSessions are the sessions of a cut.
var cutSessions = []string{"s-0", "s-1"}

// A cut is a run of TestTunnelCut.
type cut struct {
	t            *testing.T
	seed         uint64
	a, b         *host
	links        []*natstest.Link // those that are cut; the first one is that of A
	direct, stay *client          // at B, and at A
	slow         *client          // at A; it reads nothing before the end
	moves        bool             // sessions may move, since B is cut, too
	done         chan struct{}    // closed when no more turns begin

	mu     sync.Mutex
	errors map[string]int // of requests, by the method and code
}

func newCut(t *testing.T, seed uint64, both bool) *cut {
	t.Helper()
	seconds := int(cutTime / time.Second)
	if _, d := cutSettings(t); d > cutTime {
		seconds = int(d / time.Second)
	}
	f := newFleet(t, cutScript(rand.New(rand.NewPCG(seed, 0)), 40+8*seconds))
	f.silence = cutSilence
	c := &cut{t: t, seed: seed, moves: both, done: make(chan struct{}), errors: map[string]int{}}
	start := func(name string, cut bool) *host {
		args := []string{"--listen", "127.0.0.1:0"}
		if cut {
			link := natstest.NewLink(t, strings.TrimSuffix(f.url, "/fleet"))
			c.links = append(c.links, link)
			args = append(args, "--store", link.URL()+"/fleet")
		}
		return f.start(name, args...)
	}
	if f.ttl = 15 * time.Second; both {
		f.ttl = 2 * time.Second // less than the network of B is cut for
	}
	c.a, c.b = start("a", true), start("b", both)
	c.direct, c.stay, c.slow = c.b.client("direct"), c.a.client("stay"), c.a.client("slow")
	for _, session := range cutSessions {
		c.direct.create(session, f.place.Work, "prompt")
		c.direct.must("session/save", map[string]any{"session": session}, nil)
		for _, client := range []*client{c.direct, c.stay, c.slow} {
			client.must("session/follow", followParams(session, 1), nil)
		}
	}
	c.slow.pause(true)
	return c
}

func followParams(session string, from int) map[string]any {
	return map[string]any{"session": session, "from": from, "transient": transientKinds}
}

// run disturbs the networks for a time while turns run, and checks what the clients were sent.
func (c *cut) run(duration time.Duration) {
	var drivers, followers sync.WaitGroup
	over, end := context.WithCancel(c.t.Context())
	defer end()
	for i, session := range cutSessions {
		drivers.Go(func() { c.drive(session, rand.New(rand.NewPCG(c.seed, uint64(10+i)))) })
	}
	again := &wanderer{cut: c, heads: map[string]int{}}
	followers.Go(func() { again.run(over, rand.New(rand.NewPCG(c.seed, 20))) })
	for _, client := range []*client{c.direct, c.stay} {
		followers.Go(func() { c.follow(over, client) })
	}
	disturb(c.t, rand.New(rand.NewPCG(c.seed, 1)), duration, c.links...)
	close(c.done)
	drivers.Wait()
	end()
	followers.Wait()
	if c.t.Failed() {
		return
	}
	c.slow.pause(false)
	c.check(again)
}

// check checks what the clients were sent.
func (c *cut) check(again *wanderer) {
	reader := c.a.client("reader")
	for _, session := range cutSessions {
		var head struct {
			Head int `json:"head"`
		}
		reader.must("session/follow", followParams(session, 1), &head)
		c.followRest(c.slow, session, head.Head)
		want := c.contract(reader, session, false, head.Head)
		for _, client := range []*client{c.direct, c.stay, c.slow} {
			c.compare(c.contract(client, session, client == c.direct && !c.moves, head.Head), want)
		}
		got := newContract(c.t, "again", session, false)
		got.check(again.received)
		c.compare(got, want)
		c.checkTurns(want)
	}
	c.t.Logf("%d records and %d deltas of %s; errors %v; %d connections of the client that follows again", len(c.direct.records), c.direct.deltas, cutSessions,
		c.errors, again.connections)
}

// contract returns what a client was sent of a session when it has the records up to a number.
func (c *cut) contract(client *client, session string, complete bool, head int) *contract {
	c.t.Helper()
	client.await(fmt.Sprintf("record %d of %s", head, session), func() bool {
		return client.heads[session] >= head
	})
	client.mu.Lock()
	defer client.mu.Unlock()
	found := newContract(c.t, client.name, session, complete)
	found.check(client.all)
	return found
}

// compare reports the first durable record that differs.
func (c *cut) compare(got, want *contract) {
	c.t.Helper()
	if len(got.records) != len(want.records) {
		c.t.Errorf("%s was sent %d records of %s, not %d", got.client, len(got.records), got.session, len(want.records))
		return
	}
	for i, r := range got.records {
		w := want.records[i]
		if r.Kind != w.Kind || r.Turn != w.Turn || r.Time != w.Time || !bytes.Equal(r.Data, w.Data) {
			c.t.Errorf("%s: record %d of %s is %+v, want %+v", got.client, r.Seq, got.session, r, w)
			return
		}
	}
	if got.deltas == 0 {
		c.t.Errorf("%s was sent no transient record of %s", got.client, got.session)
	}
}

// followRest makes the client that has read nothing read until it has the records up to a number. It follows again if it was
// sent that the session is closed.
func (c *cut) followRest(client *client, session string, head int) {
	closed := 0
	for client.head(session) < head {
		client.await(fmt.Sprintf("record %d of %s", head, session), func() bool {
			count := 0
			for _, n := range client.notes {
				if n.Method == "session/closed" && n.Params.Session == session {
					count++
				}
			}
			if count > closed {
				closed = count
				return true
			}
			return client.heads[session] >= head
		})
		if next := client.head(session) + 1; next <= head {
			if m := c.repeat(client, "session/follow", followParams(session, next)); m.Error != nil {
				c.t.Fatalf("%s follows again: %+v", client.name, m.Error)
			}
		}
	}
}

// checkTurns checks that each prompt has begun one turn and each approval was answered once.
func (c *cut) checkTurns(all *contract) {
	seen := map[string]int{}
	for _, r := range all.records {
		var d struct {
			ID string `json:"id"`
		}
		switch r.Kind {
		case "user_message", "approval_answered":
			if err := json.Unmarshal(r.Data, &d); err != nil {
				c.t.Fatal(err)
			}
			if key := r.Kind + " " + d.ID; seen[key] > 0 {
				c.t.Errorf("session %s has %s twice", all.session, key)
			} else {
				seen[key]++
			}
		}
	}
}

// drive prompts a session through A, one turn after the other, and answers what the turns ask.
func (c *cut) drive(session string, random *rand.Rand) {
	at := 0
	for n, last := 0, false; !last && !c.t.Failed(); n++ {
		select {
		case <-c.done:
			last = true // the networks are as they should be
		default:
		}
		key := fmt.Sprint("p-", n)
		turn := c.prompt(c.stay, session, key)
		if random.IntN(3) == 0 {
			m := c.repeat(c.direct, "turn/prompt", promptParams(session, key, "Go."))
			stale := c.moves && m.Error != nil && m.Error.Code == codeBusy // see prompt
			if !stale && turnOf(c.t, m) != turn {
				c.t.Errorf("the prompt %s of %s began the turn %s and is answered with %s", key, session, turn, m.Result)
			}
		}
		at = c.attend(session, turn, at, random)
	}
	// A host that has lost the session notices it by this turn.
	c.attend(session, c.prompt(c.direct, session, "p-last"), at, random)
}

// prompt sends a prompt until its turn is known.
func (c *cut) prompt(client *client, session, key string) (turn string) {
	for end := time.Now().Add(stage.Patience); ; {
		m := c.repeat(client, "turn/prompt", promptParams(session, key, "Go."))
		if !c.moves || m.Error == nil || m.Error.Code != codeBusy || time.Now().After(end) {
			return turnOf(c.t, m)
		}
		// The host has lost the session, in which its own turn runs, and does not know that yet.
		ctx, cancel := context.WithTimeout(c.t.Context(), cutSilence/4)
		client.awaitUntil(ctx, func() bool { return false }, func() {})
		cancel()
	}
}

// attend answers the approvals of a turn until it has ended for the client that stays. At is where its records among the
// client's begin; it returns where they end.
func (c *cut) attend(session, turn string, at int, random *rand.Rand) int {
	for {
		r := c.stay.next(session, &at, "approval_asked", "turn_ended")
		switch {
		case r.Turn != turn:
		case r.Kind == "turn_ended":
			return at
		default:
			var asked struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal(r.Data, &asked); err != nil {
				c.t.Fatal(err)
			}
			clients := []*client{c.stay, c.direct}
			if random.IntN(3) == 0 {
				slices.Reverse(clients)
			}
			c.allow(session, asked.ID, clients)
		}
	}
}

// allow answers an approval. A host that has lost the session, and does not know that yet, may not know the approval: then the
// second client answers.
func (c *cut) allow(session, approval string, clients []*client) {
	for _, client := range clients {
		m := c.repeat(client, "approval/answer", map[string]any{"session": session, "approval": approval, "allow": true})
		switch {
		case m.Error == nil || m.Error.Code == codeAnswered && m.Error.Data.Kind == "answered":
			return
		case m.Error.Code != codeAnswered:
			c.t.Errorf("%s: an approval is answered: %+v", client.name, m.Error)
		}
	}
}

// The errors after which a request is sent again.
const (
	codeBusy        = -32005
	codeAnswered    = -32007
	codeUnsaved     = -32009
	codeInUse       = -32012
	codeUnreachable = -32015
	codeInternal    = -32603 // of a store that does not answer
)

// repeat sends a request again while it is not known whether it was done.
func (c *cut) repeat(client *client, method string, params map[string]any) message {
	again := []int{codeUnsaved, codeUnreachable, codeInternal}
	if c.moves {
		again = append(again, codeInUse) // it moved while the host did the request
	}
	for end := time.Now().Add(stage.Patience); ; {
		m := client.call(method, params)
		if m.Error == nil {
			return m
		}
		c.mu.Lock()
		c.errors[fmt.Sprint(method, " ", m.Error.Code, " ", m.Error.Message)]++
		c.mu.Unlock()
		if !slices.Contains(again, m.Error.Code) || time.Now().After(end) {
			return m
		}
	}
}

// follow follows sessions again that were reported to the client as closed, until the run is over.
func (c *cut) follow(over context.Context, client *client) {
	handled := 0
	for {
		var closed *message
		client.awaitUntil(over, func() bool {
			for ; handled < len(client.notes) && closed == nil; handled++ {
				if client.notes[handled].Method == "session/closed" {
					closed = &client.notes[handled]
				}
			}
			return closed != nil
		}, func() {})
		if closed == nil {
			return
		}
		if !c.moves {
			c.t.Errorf("%s: session %s is closed: %s", client.name, closed.Params.Session, closed.Params.Reason)
		}
		next := client.head(closed.Params.Session) + 1
		if m := c.repeat(client, "session/follow", followParams(closed.Params.Session, next)); m.Error != nil {
			c.t.Errorf("%s follows again: %+v", client.name, m.Error)
			return
		}
	}
}
