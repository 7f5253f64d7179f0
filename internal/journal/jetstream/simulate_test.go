package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/streamtest"
)

// seedsEnv is the environment variable with the number of seeds of TestSimulation.
const seedsEnv = "PARLEY_SEEDS"

// TestSimulation lets three hosts use two sessions through a server with faults, in simulated time, and checks
// the logs that they leave.
func TestSimulation(t *testing.T) {
	seeds := racetest.Size(1000, 100)
	if text := os.Getenv(seedsEnv); text != "" {
		seeds, _ = strconv.Atoi(text)
	}
	var all checker
	for seed := range seeds {
		c := simulate(t, uint64(seed), nil)
		if len(c.found) > 0 {
			t.Fatalf("seed %d: %v", seed, c.found)
		}
		all.acks, all.takeovers, all.losses = all.acks+c.acks, all.takeovers+c.takeovers, all.losses+c.losses
	}
	t.Logf("%d batches acknowledged, %d takeovers, %d leases lost", all.acks, all.takeovers, all.losses)
	if all.acks == 0 || all.takeovers == 0 || all.losses == 0 {
		t.Error("the simulation does not contain what it is for")
	}
}

// TestSimulationFinds checks that the simulation finds mistakes.
func TestSimulationFinds(t *testing.T) {
	for name, mutate := range map[string]func(stream.Server) stream.Server{
		"appends without expectation": func(s stream.Server) stream.Server { return noExpectation{s} },
		"a refusal as success":        func(s stream.Server) stream.Server { return refusalIsAck{s} },
		"claims without expectation":  func(s stream.Server) stream.Server { return trustedClaim{s} },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(300) {
				if len(simulate(t, seed, mutate).found) > 0 {
					return
				}
			}
			t.Error("no seed finds it")
		})
	}
}

// simulate runs one seed and returns what was found.
func simulate(t *testing.T, seed uint64, mutate func(stream.Server) stream.Server) (c *checker) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(seed, true)
		defer sim.Stop()
		c = &checker{acked: map[event.SessionID]map[uint64]string{}}
		var actors sync.WaitGroup
		var hosts []simHost
		for n := range 3 {
			h := newSimHost(sim, "", mutate)
			hosts = append(hosts, h)
			actors.Go(func() {
				a := &actor{host: h, check: c, name: fmt.Sprint("host ", n), random: rand.New(rand.NewPCG(seed, uint64(n+1)))}
				a.run(t.Context())
			})
		}
		actors.Wait()
		sim.Heal()
		for _, h := range hosts {
			h.Await()
		}
		c.checkLogs(t.Context(), newSimHost(sim, "", nil), sim)
		for _, h := range hosts {
			_ = h.store.Close()
		}
	})
	return c
}

// A checker knows which records were acknowledged.
type checker struct {
	mu    sync.Mutex // guards the rest
	acked map[event.SessionID]map[uint64]string
	found []string

	acks, takeovers, losses int
}

func (c *checker) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// head returns the number of the last acknowledged record of a session.
func (c *checker) head(id event.SessionID) (head uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for seq := range c.acked[id] {
		head = max(head, seq)
	}
	return head
}

// acknowledge notes records that Sync has reported as stored.
func (c *checker) acknowledge(id event.SessionID, records map[uint64]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acks++
	if c.acked[id] == nil {
		c.acked[id] = map[uint64]string{}
	}
	for seq, text := range records {
		if other, ok := c.acked[id][seq]; ok && other != text {
			c.found = append(c.found, fmt.Sprintf("record %d of %s is acknowledged as %q and as %q", seq, id, other, text))
		}
		c.acked[id][seq] = text
	}
}

// checkLogs reads all sessions without faults: each has every acknowledged record at its place, its hashes are
// right, and every frame is of the owner of its epoch.
func (c *checker) checkLogs(ctx context.Context, h simHost, sim *streamtest.Server) {
	defer func() { _ = h.store.Close() }()
	for _, id := range []event.SessionID{"a", "b"} {
		texts := map[uint64]string{}
		for rec, err := range h.store.Read(ctx, id, 0) {
			if err != nil && !errors.Is(err, journal.ErrNotFound) {
				c.fail("read %s: %v", id, err)
			}
			if notice, ok := rec.Event.(event.Notice); ok {
				texts[rec.Seq] = notice.Text
			}
		}
		for seq, want := range c.acked[id] {
			if texts[seq] != want {
				c.fail("record %d of %s is %q, and %q was acknowledged", seq, id, texts[seq], want)
			}
		}
		c.checkFrames(id, sim)
	}
}

func (c *checker) checkFrames(id event.SessionID, sim *streamtest.Server) {
	var epoch uint64
	owner := ""
	for _, m := range sim.Messages(streamtest.Namespace.Journal(id)) {
		f, err := decodeFrame(m)
		switch {
		case err != nil:
			c.fail("%v", err)
		case f.kind == kindClaim || f.kind == kindCreate:
			if f.epoch != epoch+1 {
				c.fail("epoch %d of %s follows epoch %d", f.epoch, id, epoch)
			}
			if owner != noOwner && f.owner != owner && f.kind == kindClaim {
				c.takeovers++
			}
			epoch, owner = f.epoch, f.owner
		case f.epoch != epoch || f.owner != owner && f.kind != kindRelease:
			c.fail("frame %d of %s is of epoch %d and %s, in epoch %d of %s", m.Seq, id, f.epoch, f.owner, epoch, owner)
		case f.kind == kindRelease:
			owner = noOwner
		}
	}
}

// An actor uses the sessions through its host, until it has done enough.
type actor struct {
	host   simHost
	check  *checker
	name   string
	random *rand.Rand
	count  int
}

func (a *actor) run(ctx context.Context) {
	for range 8 {
		_ = streamtest.Sleep(ctx, time.Duration(a.random.Int64N(int64(4*time.Second))))
		if a.random.IntN(6) == 0 {
			a.host.Pause(time.Duration(a.random.Int64N(int64(40 * time.Second))))
		}
		switch id := event.SessionID([]string{"a", "b"}[a.random.IntN(2)]); a.random.IntN(8) {
		case 0:
			a.recreate(ctx)
		default:
			a.write(ctx, id)
		}
	}
}

// write leases a session, creating it if it does not exist, and appends.
func (a *actor) write(ctx context.Context, id event.SessionID) {
	known := a.check.head(id)
	force := a.random.IntN(10) == 0 // as if the owner could not be reached
	j, err := a.host.store.resume(ctx, id, nil, force)
	if errors.Is(err, journal.ErrNotFound) {
		j, err = a.host.store.Create(ctx, id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
		if errors.Is(err, journal.ErrExists) {
			return
		}
	}
	if _, locked := errors.AsType[*journal.LockedError](err); locked || errors.Is(err, journal.ErrNotFound) {
		return
	}
	if err != nil {
		if !isOutage(err) {
			a.check.fail("%s leases %s: %v", a.name, id, err)
		}
		return
	}
	defer func() { _ = j.Close() }()
	if j.Head() < known {
		a.check.fail("%s leases %s at record %d after record %d was acknowledged", a.name, id, j.Head(), known)
	}
	for range a.random.IntN(4) {
		if a.random.IntN(8) == 0 {
			a.host.Pause(time.Duration(a.random.Int64N(int64(time.Minute))))
		}
		if !a.append(j) {
			return
		}
		_ = streamtest.Sleep(ctx, time.Duration(a.random.Int64N(int64(time.Second))))
	}
}

// append appends one or two batches and waits for them. It returns false if the lease is lost.
func (a *actor) append(j journal.Journal) bool {
	batch := map[uint64]string{}
	for range 1 + a.random.IntN(2) {
		a.count++
		text := fmt.Sprint(a.name, " record ", a.count)
		head := j.Head()
		err := j.Append(head, []event.Record{{Event: event.Notice{Text: text}}})
		if errors.Is(err, journal.ErrFenced) {
			return false
		}
		if err != nil {
			a.check.fail("%s appends: %v", a.name, err)
			return false
		}
		batch[head+1] = text
	}
	err := j.Sync()
	switch {
	case err == nil:
		a.check.acknowledge(j.ID(), batch)
	case errors.Is(err, journal.ErrFenced):
		a.check.mu.Lock()
		a.check.losses++
		a.check.mu.Unlock()
	default:
		a.check.fail("%s syncs: %v", a.name, err)
	}
	return err == nil
}

// isOutage reports whether an error says no more than that the server did not answer.
func isOutage(err error) bool {
	return errors.Is(err, streamtest.ErrLost) || errors.Is(err, context.DeadlineExceeded)
}

// recreate creates a session with a blob, which is there until the session is removed.
func (a *actor) recreate(ctx context.Context) {
	const id event.SessionID = "removed"
	store := a.host.store
	j, err := store.Create(ctx, id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
	if err != nil {
		_ = store.Remove(ctx, id)
		return
	}
	defer func() { _ = j.Close() }()
	address, err := j.PutBlob([]byte("content"))
	if err != nil {
		return
	}
	_ = streamtest.Sleep(ctx, time.Duration(a.random.Int64N(int64(3*time.Second))))
	_, blobErr := j.Blob(address)
	if err := j.Append(j.Head(), []event.Record{{Event: event.Notice{}}}); err != nil || j.Sync() != nil {
		return // it was taken over, and may have been removed
	}
	if errors.Is(blobErr, fs.ErrNotExist) {
		blobErr = nil // an answer from the past: ask until it is not
		for range 20 {
			if _, blobErr = j.Blob(address); !errors.Is(blobErr, fs.ErrNotExist) {
				break
			}
		}
		if errors.Is(blobErr, fs.ErrNotExist) {
			a.check.fail("%s: a blob of a session that it has is gone", a.name)
		}
	}
}
