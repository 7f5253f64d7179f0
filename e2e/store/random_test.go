//go:build linux

package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/internal/stream/natstest"
)

// durationEnv is the environment variable with the time that TestRandom takes for each number of servers.
const durationEnv = "PARLEY_STORE_TIME"

// randomTime is the default.
const randomTime = 15 * time.Second

// TestRandom lets writers use sessions while faults happen at random, as the seed has it. It also runs the seeds
// that failed before.
func TestRandom(t *testing.T) {
	duration := randomTime
	if text := os.Getenv(durationEnv); text != "" {
		var err error
		if duration, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	all := []failure{{1, firstSeed(t), randomFaults}, {3, firstSeed(t), randomFaults}}
	for _, old := range failedSeeds(t) {
		if old.fault == randomFaults && old.seed != firstSeed(t) {
			all = append(all, old)
		}
	}
	for _, h := range all {
		t.Run(fmt.Sprintf("R%d/%d", h.replicas, h.seed), func(t *testing.T) {
			t.Parallel()
			skipCluster(t, h.replicas)
			repeatable(t, h.seed, h, fmt.Sprintf("%s=%v", durationEnv, duration))
			randomly(t, newPlace(t, h.replicas, ""), h.seed, duration)
		})
	}
}

const (
	randomWriters  = 4
	randomSessions = 3
)

func randomSession(n int) string { return fmt.Sprint("s", n) }

// A crowd is the writers of a random run.
type crowd struct {
	t     *testing.T
	place *place
	done  chan struct{} // closed when no more operations begin

	mu      sync.Mutex // guards the rest
	writers [randomWriters]*writer
	started int
}

func randomly(t *testing.T, p *place, seed uint64, duration time.Duration) {
	p.seed(seed)
	c := &crowd{t: t, place: p, done: make(chan struct{})}
	for i := range c.writers {
		c.start(i)
	}
	var work sync.WaitGroup
	for i := range c.writers {
		random := rand.New(rand.NewPCG(seed, uint64(i+2)))
		work.Go(func() { c.work(i, random) })
	}
	begun := time.Now()
	for time.Since(begun) < duration && !t.Failed() {
		elapse(t, time.Duration(200+p.random.IntN(1300))*time.Millisecond)
		c.disturb()
	}
	close(c.done)
	work.Wait()
	reader := p.writer(t, "reader", nil)
	for i := range randomSessions {
		session := randomSession(i)
		reader.must(command{Do: opOpen, Session: session})
		reader.write(session, 1)
		checked := p.checkSession(t, checker{late: true}, session)
		p.count(checked, 0)
	}
	p.report(t)
}

// start starts a writer, in the place of one that was killed.
func (c *crowd) start(i int) {
	c.mu.Lock()
	c.started++
	name := fmt.Sprint("w", c.started)
	c.mu.Unlock()
	w := c.place.writer(c.t, name, nil)
	for n := range randomSessions {
		w.try(command{Do: opFollow, Session: randomSession(n)})
	}
	c.mu.Lock()
	c.writers[i] = w
	c.mu.Unlock()
}

func (c *crowd) writer(i int) *writer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writers[i]
}

// work makes a writer lease sessions, append and read, until the run is over. If it was killed, another one is
// started. While the run is over it waits for what is in flight.
func (c *crowd) work(i int, random *rand.Rand) {
	w := c.writer(i)
	for {
		select {
		case <-c.done:
			return
		case <-w.Ended:
			c.start(i)
			w = c.writer(i)
		default:
		}
		session := randomSession(random.IntN(randomSessions))
		var last command
		for _, cmd := range plan(session, random) {
			cmd.Op = w.try(cmd)
			last = cmd
		}
		begun := time.Now()
		if _, ok := w.wait(last.Op, nil); ok && time.Since(begun) < retryInterval {
			elapse(c.t, retryInterval) // the session belongs to another writer, which should get further
		}
	}
}

// plan returns what a writer does with a session.
func plan(session string, random *rand.Rand) (all []command) {
	add := func(c command) {
		c.Session = session
		all = append(all, c)
	}
	if random.IntN(4) == 0 {
		add(command{Do: opRead})
		return all
	}
	add(command{Do: opOpen, LimitMS: 1000 + random.Int64N(5000)})
	for range 1 + random.IntN(8) {
		size := 300
		if random.IntN(10) == 0 {
			size = 200_000
		}
		add(command{Do: opAppend, Count: 1 + random.IntN(6), Size: size})
		if random.IntN(4) > 0 {
			add(command{Do: opSync})
		}
	}
	if random.IntN(2) == 0 {
		add(command{Do: opRelease})
	} else {
		add(command{Do: opClose})
	}
	return all
}

// disturb is one random fault, from begin to end.
func (c *crowd) disturb() {
	p, random := c.place, c.place.random
	i := random.IntN(randomWriters)
	w := c.writer(i)
	pause := time.Duration(random.IntN(4000)) * time.Millisecond
	kinds := []func(){
		func() { _ = w.Cmd.Process.Kill() },
		func() {
			_ = w.Cmd.Process.Signal(syscall.SIGSTOP)
			elapse(c.t, pause)
			_ = w.Cmd.Process.Signal(syscall.SIGCONT)
		},
		func() { w.link.Stall(natstest.Up) },
		func() { w.link.Stall(natstest.Down) },
		func() { w.link.Stall(natstest.Up); w.link.Stall(natstest.Down) },
		func() { w.link.Refuse() },
		func() { w.link.Break() },
		func() { w.link.Delay(time.Duration(1+random.IntN(50)) * time.Millisecond) },
		func() { c.pauseServer(pause) },
		func() { c.killServer(pause / 4) },
	}
	if p.replicas > 1 {
		kinds = append(kinds,
			func() { p.isolate(random.IntN(p.replicas)); elapse(c.t, pause); p.join() },
			func() { _ = p.tryStepDown(c.t) }) // there may be no leader
	}
	kinds[random.IntN(len(kinds))]()
	elapse(c.t, pause/2)
	w.link.Resume()
}

func (c *crowd) pauseServer(pause time.Duration) {
	server := c.place.random.IntN(c.place.replicas)
	c.place.signal(server, syscall.SIGSTOP)
	elapse(c.t, pause)
	c.place.signal(server, syscall.SIGCONT)
}

func (c *crowd) killServer(pause time.Duration) {
	server := c.place.servers[c.place.random.IntN(c.place.replicas)]
	server.Kill()
	elapse(c.t, pause)
	server.Restart(c.t)
}
