//go:build linux

package soak

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/agent"
	"parley.dev/parley/e2e/stage"
)

// The clients of TestClients: a hundred, with a thousand sessions.
const (
	overUnix, overWeb, ofSessions = 45, 15, 13 // of the native protocol, and sessions of each
	withAgent, ofAgents           = 10, 5      // the same, with sessions whose turns an agent of a back end runs
	ofCodex, ofACP, ofRelays      = 8, 7, 11   // of Codex and ACP, by relays
	workers                       = 5          // sessions with a client that prompts, one that checks every delta, and a sleeper
	agentName                     = "acp:scripted"

	pauseOfClients = 1500 * time.Millisecond // between two turns: together they need about half of two processors
)

// agentScript is what the agent of the back end does.
const agentScript = `on ` + atLength + `
say I begin
hang

on ` + look + `
say I look.
call c1 execute {"command":"echo looked"}
ask c1
end c1 looked
say Looked.

on Go on
think about it
say piece 1 of an answer, 
say piece 2 of an answer.
`

// A crowd is the clients of a host, and what they count.
type crowd struct {
	testing.TB
	host    *host
	pause   time.Duration // of each client, between two turns
	mark    stage.Mark
	begin   time.Time
	enough  chan struct{} // closed: no turn begins
	turns   atomic.Int64  // that clients saw end
	removed atomic.Int64  // bytes of sessions that were removed

	mu     sync.Mutex
	counts map[string]int
	took   []turnTime
}

// A turnTime is how long a turn took that ended at a time.
type turnTime struct{ at, took time.Duration }

func (c *crowd) goesOn() bool {
	select {
	case <-c.enough:
		return false
	default:
		return true
	}
}

// rest pauses between two turns.
func (c *crowd) rest() { rest(c.pause, c.enough) }

func (c *crowd) count(what string) { c.add(what, 1) }

func (c *crowd) add(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what] += n
}

// ended counts a turn.
func (c *crowd) ended(took time.Duration) {
	c.turns.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took = append(c.took, turnTime{time.Since(c.begin), took})
}

// A member is a client with sessions of its own.
type member interface {
	open(ctx context.Context, sessions int) error
	run(ctx context.Context) error
	conversations() []*conversation
}

func (d *driver) conversations() []*conversation  { return d.sessions }
func (r *relayed) conversations() []*conversation { return r.sessions }

// TestClients has a host with a thousand sessions and a hundred clients of three protocols: turns, approvals, interrupts, clients
// that leave in the middle of a turn, relays that are killed, sessions that are archived and removed, clients that read nothing, and
// agents of a back end. Each accepted prompt must have one turn that ends once, and no client may miss a record. From a minute on,
// growth is a failure: see flat.
func TestClients(t *testing.T) {
	text := os.Getenv("PARLEY_SOAK")
	if text == "" {
		t.Skip("make soak runs it")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	serious := length >= time.Minute
	c := gather(t, serious)
	members, sessions := c.members(), 0
	running := newGroup(t)
	for m, n := range members {
		if !serious {
			n = 1
		}
		sessions += n
		running.start(func() error { return m.open(t.Context(), n) })
	}
	running.wait()
	t.Logf("%d sessions are open after %s", sessions+workers, time.Since(c.begin).Round(time.Second))

	c.begin = time.Now()
	for m := range members {
		running.start(func() error { return m.run(t.Context()) })
	}
	atWork := c.workers(running)
	readings := c.watch(length, running)
	close(c.enough)
	for _, w := range atWork {
		w.stop()
	}
	running.wait()
	c.verify(members)
	c.report(readings, serious, sessions+workers, len(members)+3*workers)
	c.host.process.Signal(syscall.SIGTERM)
	if code := c.host.process.Code(); code != 0 {
		t.Errorf("exit code %d; %s", code, c.host.process.Stderr)
	}
	c.mark.WantEnded(t, nil)
}

// gather starts the host.
func gather(t testing.TB, serious bool) *crowd {
	t.Helper()
	p := stage.NewPlace(t)
	folder := t.TempDir()
	script := filepath.Join(folder, "script")
	program, err := os.Executable()
	if err == nil {
		err = os.WriteFile(script, []byte(agentScript), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"backends": map[string]any{agentName: map[string]any{
		"command": []string{program}, "state": []string{folder}, "pass_env": []string{"PARLEY_STAGE_MARK"},
		"env": map[string]string{agent.ScriptVariable: script},
	}}})
	path := filepath.Join(p.Home, "config.jsonc")
	if err == nil {
		err = os.WriteFile(path, config, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Env = append(p.Env, "PARLEY_CONFIG="+path)
	mark := stage.NewMark(p)
	speed, pause := longPace, pauseOfClients
	if !serious {
		speed.every, pause = 5*time.Millisecond, 0
	}
	return &crowd{TB: t, host: serve(t, p, speed), pause: pause, mark: mark, begin: time.Now(), enough: make(chan struct{}), counts: map[string]int{}}
}

// members returns the clients, each with the number of its sessions.
func (c *crowd) members() map[member]int {
	all := map[member]int{}
	unix, web := "unix:"+c.host.Socket, "ws"+strings.TrimPrefix(c.host.URLs[0], "http")
	drivers := func(n, sessions int, name, address string, settings map[string]any) {
		for i := range n {
			all[&driver{crowd: c, name: fmt.Sprint(name, " ", i), number: i, address: address, settings: settings}] = sessions
		}
	}
	drivers(overUnix, ofSessions, "unix", unix, map[string]any{"mode": "prompt"})
	drivers(overWeb, ofSessions, "web", web, map[string]any{"mode": "danger-full-access"})
	drivers(withAgent, ofAgents, "agent", unix, map[string]any{"mode": "prompt", "backend": agentName})
	relays := func(n int, dialect string, free bool, resume string) {
		s := named(dialect)
		if !free {
			s.Args = s.Args[:len(s.Args)-len(s.Free)]
		}
		for i := range n {
			r := &relayed{crowd: c, speaker: s, name: fmt.Sprint(dialect, " ", i), number: i, resume: resume}
			r.talk.Dialect, r.talk.Dir = s.Dialect, c.host.place.Work
			all[r] = ofRelays
		}
	}
	relays(ofCodex, "codex", true, `{"id":$N,"method":"thread/resume","params":{"threadId":"$SESSION"}}`)
	relays(ofACP, "acp", false, `{"jsonrpc":"2.0","id":$N,"method":"session/resume","params":{"sessionId":"$SESSION","cwd":"$DIR","mcpServers":[]}}`)
	return all
}

// workers starts the sessions with clients that check every delta, and sleepers.
func (c *crowd) workers(running *group) (all []*worker) {
	c.Helper()
	for i := range workers {
		w := work(c.TB, c.host, fmt.Sprint("worker-", i), c.pause)
		s := &sleeper{crowd: c, worker: w, turned: w.turned}
		running.start(s.run)
		all = append(all, w)
	}
	return all
}

// watch takes readings for so long.
func (c *crowd) watch(length time.Duration, running *group) (all []reading) {
	c.Helper()
	ticks := time.NewTicker(min(5*time.Second, length/8))
	defer ticks.Stop()
	for time.Since(c.begin) < length || len(all) < 3 {
		select {
		case <-ticks.C:
			all = append(all, c.read())
		case err := <-running.failed:
			c.Fatalf("%v; %s", err, c.host.process.Stderr)
		}
	}
	return all
}

// summedUp is what counts compactions.
const summedUp = "conversations summed up"

// verify reads every session again.
func (c *crowd) verify(members map[member]int) {
	c.Helper()
	reader, err := client.Dial(c.Context(), "unix:"+c.host.Socket, client.Options{Name: "reader"})
	if err != nil {
		c.Fatal(err)
	}
	defer reader.Close()
	prompts := 0
	for m := range members {
		for _, s := range m.conversations() {
			if err := s.verify(c.Context(), reader); err != nil {
				c.Error(err)
			}
			prompts += s.accepted
			c.add(summedUp, s.summed)
		}
	}
	c.counts["prompts accepted in sessions that are left"] = prompts
	for _, what := range []string{
		"turns that were completed", "turns that were interrupted", "turns of codex", "turns of acp", "calls allowed",
		"connections cut in a turn", summedUp,
	} {
		if c.counts[what] == 0 {
			c.Errorf("%s: none", what)
		}
	}
}

// A group is goroutines that fail with an error.
type group struct {
	t       testing.TB
	running sync.WaitGroup
	failed  chan error // the first of the errors
}

func newGroup(t testing.TB) *group { return &group{t: t, failed: make(chan error, 1)} }

func (g *group) start(f func() error) {
	g.running.Go(func() {
		if err := f(); err != nil {
			select {
			case g.failed <- err:
			default:
				g.t.Error(err)
			}
		}
	})
}

// wait waits for all of them.
func (g *group) wait() {
	g.t.Helper()
	g.running.Wait()
	select {
	case err := <-g.failed:
		g.t.Fatal(err)
	default:
	}
}

// percentile returns the time that so many of a hundred turns are within, of those that ended in a time.
func (c *crowd) percentile(of int, from, to time.Duration) time.Duration {
	var took []time.Duration
	for _, t := range c.took {
		if t.at >= from && t.at < to {
			took = append(took, t.took)
		}
	}
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[(len(took)-1)*of/100]
}
