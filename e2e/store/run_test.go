//go:build linux

package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"parley.dev/parley/internal/stream"
)

// A run is a phase that meets a fault.
type run struct {
	t       testing.TB
	place   *place
	phase   *phase
	session string
	random  *rand.Rand
	checker checker

	victim, other, former *writer
	op                    int    // of the victim, which is in flight; 0: none
	claim                 int    // of the other writer, during the fault; 0: none
	prepared              func() // called when the session has its first records
	takeover              time.Duration

	copied content // of the session, as the servers had it when they were copied or damaged
	damage string  // the record that was damaged
	kept   uint64  // the last sequence of the stream after that
}

// newRun starts the writers of a cell. The victim reaches some servers and the others the rest; nil: all.
func newRun(t testing.TB, p *place, ph *phase, session string, seed uint64) *run {
	t.Helper()
	r := &run{t: t, place: p, phase: ph, session: session, random: rand.New(rand.NewPCG(seed, 0)), checker: checker{late: true}}
	victims, others := p.servers, p.servers
	if p.split > 0 {
		victims, others = p.servers[p.split-1:p.split], nil
		for i, s := range p.servers {
			if i != p.split-1 {
				others = append(others, s)
			}
		}
	}
	r.other = p.writer(t, session+"-other", others)
	r.other.send(command{Do: opFollow, Session: session})
	r.victim = p.writer(t, session+"-victim", victims)
	if ph.beside {
		r.former = p.writer(t, session+"-former", others)
	}
	return r
}

// use makes a test the one that waits for the run's writers: that of the cell, after the fault.
func (r *run) use(t testing.TB) {
	r.t = t
	for _, w := range []*writer{r.victim, r.other, r.former} {
		if w != nil {
			w.t = t
		}
	}
}

// coin returns true or false, by the seed.
func (r *run) coin() bool { return r.random.IntN(2) == 0 }

// take makes a writer take the session over, or create it, and write.
func (r *run) take(w *writer) {
	r.t.Helper()
	r.beginTake(w)()
}

// beginTake begins take. end waits for it.
func (r *run) beginTake(w *writer) (end func()) {
	r.t.Helper()
	begun := time.Now()
	op := w.send(command{Do: opOpen, Session: r.session, Gone: r.victim.name})
	return func() {
		r.t.Helper()
		if e := w.ended(op); e.Outcome != ack {
			r.t.Fatalf("%s", e)
		}
		r.takeover = time.Since(begun)
		w.write(r.session, 2)
	}
}

// end returns the end of the operation in flight, whose outcome must be one of some; none: any.
func (r *run) end(outcomes ...string) entry {
	r.t.Helper()
	if r.op == 0 {
		return entry{}
	}
	e := r.victim.ended(r.op)
	for _, outcome := range outcomes {
		if e.Outcome == outcome {
			return e
		}
	}
	if len(outcomes) > 0 {
		r.t.Errorf("%s, want %v", e, outcomes)
	}
	return e
}

// mustLose checks that the victim does not have the session any more.
func (r *run) mustLose() {
	r.t.Helper()
	r.beginLose()()
}

// beginLose begins mustLose. end waits for it.
func (r *run) beginLose() (end func()) {
	r.t.Helper()
	r.victim.send(command{Do: opAppend, Session: r.session, Count: 1, Size: 100})
	op := r.victim.send(command{Do: opSync, Session: r.session})
	return func() {
		r.t.Helper()
		if e := r.victim.ended(op); e.Outcome == ack {
			r.t.Errorf("the session is not the writer's any more: %s", e)
		}
	}
}

// mustRetain checks that the victim still has the session, under the same epoch, and that it can write. After the
// operations that give it up, another writer can have it.
func (r *run) mustRetain() {
	r.t.Helper()
	switch r.phase.name {
	case "release", "remove":
		r.take(r.other)
		return
	}
	if r.victim.hasLost(r.session) {
		r.t.Errorf("%s has lost the session", r.victim.name)
	}
	r.victim.write(r.session, 2)
}

// finish reads the session with a writer and checks it.
func (r *run) finish() {
	r.t.Helper()
	e := r.read()
	if e.Outcome != ack && !r.checker.damaged {
		r.t.Errorf("%s", e)
	}
	r.awaitFollower(e)
	c := r.place.checkSession(r.t, r.checker, r.session)
	r.place.count(c, r.takeover)
}

// read reads the session, again while the cluster elects a leader.
func (r *run) read() (e entry) {
	r.t.Helper()
	for range 10 {
		if e = r.other.run(command{Do: opRead, Session: r.session}); e.Outcome == ack || r.checker.damaged {
			break
		}
		elapse(r.t, 500*time.Millisecond)
	}
	return e
}

// awaitFollower waits until the follower has received the last record that a reader has found, or is informed that
// the session was removed, or is damaged.
func (r *run) awaitFollower(read entry) {
	r.t.Helper()
	r.place.history.await(r.t, fmt.Sprintf("%s to follow %s up to record %d", r.other.name, r.session, read.Head), func(e entry) bool {
		return e.Do == opFollow && e.Session == r.session && e.Writer == r.other.name &&
			(e.First == read.Head && e.Time > r.checker.rolledBack || e.Damaged || e.Removed && read.Missing)
	})
}

// sessionName returns the session of a cell.
func sessionName(fault, phase string, seed uint64) string {
	return fmt.Sprintf("%s-%s-%d", fault, phase, seed)
}

// resolved checks that an operation that met an outage of the store succeeds after it, and that the session has not
// moved, unless that was permitted: for as long as a key lasts the claimant has renewed its own, and the victim could
// not.
func (r *run) resolved() {
	r.t.Helper()
	if claim, ok := r.movedBy(); ok {
		if !r.place.history.mayClaim(claim, r.victim.name, testTTL) {
			r.t.Errorf("a takeover because of the store: %s", claim)
		}
		r.end()
		r.mustLose()
		r.take(r.other)
		return
	}
	if e := r.end(ack, unknown); e.Outcome == unknown {
		r.repeat(e)
	}
	r.mustRetain()
}

// movedBy returns the claim of the other writer during the fault, if it is stored.
func (r *run) movedBy() (claim entry, ok bool) {
	r.t.Helper()
	if r.claim == 0 {
		return claim, false
	}
	r.other.ended(r.claim)
	claim, ok, _ = r.place.history.find(func(e entry) bool {
		return e.Writer == r.other.name && e.Do == opFrame && e.Session == r.session && e.Frame.Kind == "claim"
	})
	if !ok {
		return claim, false
	}
	return claim, slices.ContainsFunc(readContent(r.t, r.place.connect(r.t), namespace, r.session).frames, func(f stored) bool {
		return f.Owner == claim.Frame.Owner && f.Kind == "claim"
	})
}

// repeat repeats a request of the victim that has met an outage. Only requests that read first may end with one,
// and not before the time that an answer may take.
func (r *run) repeat(e entry) {
	r.t.Helper()
	took := e.Time - r.place.history.begin(e)
	if e.Do != opLease && e.Do != opRemove || took < stream.AnswerTimeout.Nanoseconds() {
		r.t.Errorf("%s, after %v", e, time.Duration(took))
	}
	again := r.victim.run(command{Do: e.Do, Session: r.session})
	if removed := e.Do == opRemove && again.Missing; again.Outcome != ack && !removed {
		r.t.Errorf("again: %s", again)
	}
}

// superseded checks that the victim notices that another writer has taken the session over.
func (r *run) superseded() {
	r.end()
	r.mustLose()
}
