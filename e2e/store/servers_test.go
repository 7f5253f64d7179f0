//go:build linux

package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// namespace is that of all stores of these tests.
const namespace = "faults"

// A place is the servers of a store and the logs of its writers.
type place struct {
	t        testing.TB
	replicas int
	servers  []*natstest.Server
	history  *history
	mutant   string // of its writers
	split    int    // number of the server, from 1, that the victims reach, and nothing else does; 0: all reach all
	disk     string // the disk of the streams, which can be filled
	random   *rand.Rand
	figures  figures
	routes   map[[2]int]*natstest.Link
}

// starting is locked while servers start and make the namespace: several clusters at once elect for minutes on a machine
// with other work.
var starting sync.Mutex

// newPlace starts servers, and makes the namespace. With data, a server stores its streams in that folder.
func newPlace(t testing.TB, replicas int, data string) *place {
	t.Helper()
	p := &place{t: t, replicas: replicas, history: newHistory(), routes: map[[2]int]*natstest.Link{}}
	config := natstest.Config{Servers: replicas, SyncAlways: true, Route: p.route}
	if data != "" {
		config.Data = func(int) string { return data }
	}
	starting.Lock()
	defer starting.Unlock()
	p.servers = config.Start(t)
	a, err := stream.ParseAddress(p.servers[0].URL + "/" + namespace)
	if err != nil {
		t.Fatal(err)
	}
	p.poll(t, "the namespace", func(context.Context, natsjs.JetStream) bool { // servers that join are offline at first
		ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
		defer cancel()
		return stream.Init(ctx, a, stream.InitOptions{Replicas: replicas}) == nil
	})
	return p
}

// seed sets what is left to chance.
func (p *place) seed(seed uint64) { p.random = rand.New(rand.NewPCG(seed, 1)) }

// route makes the link through which a server reaches another one. Of two servers only one connects: when both do
// at once, each can close the other's connection as the second one.
func (p *place) route(from, to int, address string) string {
	if n := p.replicas; (to-from+n)%n > n/2 {
		return natstest.ClosedAddress
	}
	l := natstest.NewLink(p.t, address)
	p.routes[[2]int{from, to}] = l
	return l.Addresses[0]
}

// isolate stalls all routes of a server.
func (p *place) isolate(server int) {
	for pair, l := range p.routes {
		if slices.Contains(pair[:], server) {
			l.Stall(natstest.Up)
			l.Stall(natstest.Down)
		}
	}
}

// join undoes isolate.
func (p *place) join() {
	for _, l := range p.routes {
		l.Resume()
	}
}

// writer starts a writer that reaches some servers; nil: all.
func (p *place) writer(t testing.TB, name string, servers []*natstest.Server) *writer {
	t.Helper()
	if servers == nil {
		servers = p.servers
	}
	return startWriter(t, p.history, name, namespace, p.mutant, servers)
}

// connect returns a connection past all links.
func (p *place) connect(t testing.TB) natsjs.JetStream {
	t.Helper()
	var urls string
	for _, s := range p.servers {
		urls += s.URL + ","
	}
	return natstest.Connect(t, urls[:len(urls)-1], nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
}

// leader returns the server that leads the stream of the journals.
func (p *place) leader(t testing.TB) int {
	t.Helper()
	if p.replicas == 1 {
		return 0
	}
	name := ""
	p.poll(t, "a leader", func(ctx context.Context, js natsjs.JetStream) bool {
		journals, err := js.Stream(ctx, namespace+"_j_00")
		if err == nil && journals.CachedInfo().Cluster != nil {
			name = journals.CachedInfo().Cluster.Leader
		}
		return name != ""
	})
	return slices.IndexFunc(p.servers, func(s *natstest.Server) bool { return s.Name == name })
}

// pollInterval is the time between two looks at what the servers have.
const pollInterval = 20 * time.Millisecond

// poll waits until something holds on the servers.
func (p *place) poll(t testing.TB, what string, holds func(context.Context, natsjs.JetStream) bool) {
	t.Helper()
	js := p.connect(t)
	limit := time.After(stage.Patience)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		done := holds(ctx, js)
		cancel()
		if done {
			return
		}
		select {
		case <-time.After(pollInterval):
		case <-limit:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// awaitFrame waits until the last frame of a session is of a kind.
func (p *place) awaitFrame(t testing.TB, session, kind string) {
	t.Helper()
	p.poll(t, fmt.Sprintf("a frame %s of %s", kind, session), func(ctx context.Context, js natsjs.JetStream) bool {
		journals, err := js.Stream(ctx, namespace+"_j_00")
		if err != nil {
			return false
		}
		m, err := journals.GetLastMsgForSubject(ctx, namespace+".j.00."+session)
		return err == nil && m.Header.Get("Parley-Kind") == kind
	})
}

// stepDown makes the leader of the journals' stream resign.
func (p *place) stepDown(t testing.TB) {
	t.Helper()
	if err := p.tryStepDown(t); err != nil {
		t.Fatalf("step down: %v", err)
	}
}

// tryStepDown is stepDown of a cluster that may have no leader.
func (p *place) tryStepDown(t testing.TB) error {
	t.Helper()
	js := p.connect(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := js.Conn().RequestWithContext(ctx, "$JS.API.STREAM.LEADER.STEPDOWN."+namespace+"_j_00", nil)
	return err
}

// signal sends a signal to a server.
func (p *place) signal(server int, signal syscall.Signal) {
	if err := p.servers[server].Process().Signal(signal); err != nil {
		p.t.Error(err)
	}
}

// checkSession compares the logs of a session with what the leader has.
func (p *place) checkSession(t testing.TB, c checker, session string) *checker {
	t.Helper()
	c.entries = p.history.of(session)
	js := p.connect(t)
	var found []string
	for range 5 { // a leader that was elected just now may answer from the past; what is lost stays lost
		c.content, c.found = readContent(t, js, namespace, session), nil
		if found = append(c.check(), linear(c)...); len(found) == 0 {
			break
		}
		elapse(t, time.Second)
	}
	for _, text := range found {
		t.Error(text)
	}
	if len(found) > 0 {
		for _, e := range c.entries {
			t.Log(e)
		}
		for _, f := range c.content.frames {
			t.Logf("frame %d after %s: %s %s of %s, epoch %d, records %d to %d %v", f.Sequence, f.expects, f.Kind, f.ID, f.Owner, f.Epoch, f.first, f.head, f.tokens)
		}
	}
	return &c
}
