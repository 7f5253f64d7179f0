//go:build linux

package store

import (
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream/natstest"
)

// A fault is one of the failures of docs/cluster.md. In a run, the message of the victim's operation is on its way
// and does not arrive.
type fault struct {
	name     string
	replicas []int // of the stores in which it is possible
	// does is the fault and what follows, up to the last reading; for faults of processes and their network.
	does func(r *run)
	// servers is a fault of servers, which all phases meet together, from its begin to its end. Then after is
	// called for each run.
	servers func(p *place, runs []*run)
	after   func(r *run)
	split   bool     // the victims reach the leader only, the others the other servers
	disk    bool     // the streams are on a small disk
	without []string // phases that it does not meet
}

var both, one, three = []int{1, 3}, []int{1}, []int{3}

var faults = []fault{
	{name: "F1-killed", replicas: both, does: killed},
	{name: "F2-paused", replicas: both, does: paused},
	{name: "F3-buffered", replicas: both, does: buffered, without: []string{"idle"}},
	{name: "F4-cut-off", replicas: both, does: cutOff},
	{name: "F5-lost-ack", replicas: both, does: lostAck, without: []string{"idle"}},
	{name: "F8-two-claims", replicas: both, does: twoClaims, without: []string{"create"}},
	{name: "F6-no-majority", replicas: both, servers: noMajority, after: (*run).resolved},
	{name: "F7-leader-paused", replicas: both, servers: leaderPaused, after: (*run).resolved},
	{name: "F7-leader-killed", replicas: three, servers: leaderKilled, after: (*run).resolved},
	{name: "F7-step-down", replicas: three, servers: stepDown, after: (*run).resolved},
	{name: "F7-one-way", replicas: three, servers: oneWay, after: (*run).resolved},
	{name: "slow-link", replicas: both, servers: slowLink, after: (*run).resolved},
	{name: "slow-disk", replicas: both, servers: slowDisk, after: (*run).resolved},
	{name: "clock-step", replicas: both, servers: clockStep, after: (*run).resolved},
	{name: "F9-deposed", replicas: three, servers: deposed, after: (*run).superseded, split: true},
	{name: "F10-full", replicas: one, servers: fullDisk, after: (*run).resolved, disk: true},
	{name: "F11-rolled-back", replicas: one, servers: rolledBack, after: (*run).aheadOfStore},
	{name: "F11-damaged-at-rest", replicas: one, servers: damagedAtRest, after: (*run).noticed, without: []string{"create", "remove"}},
	{name: "F11-damaged", replicas: one, servers: damaged, after: (*run).noticed, without: []string{"create", "remove"}},
}

// killed is kill -9. The message on its way arrives, or not.
func killed(r *run) {
	r.victim.Kill()
	if r.coin() {
		r.victim.link.Resume()
	} else {
		r.victim.link.Break()
	}
	r.take(r.other)
}

// paused is SIGSTOP until another writer has the session; the message arrives after that.
func paused(r *run) {
	r.victim.pause()
	r.take(r.other)
	r.victim.wake()
	r.victim.link.Resume()
	if e := r.end(); e.Outcome == ack && r.phase.name != "release" {
		r.t.Errorf("%s, after another writer had the session", e)
	}
	r.mustLose()
}

// buffered is SIGSTOP; the message arrives when another writer is about to publish its claim.
func buffered(r *run) {
	r.victim.pause()
	seen := r.other.link.StallAt(natstest.Up, "Parley-Kind: c") // create or claim
	op := r.other.send(command{Do: opOpen, Session: r.session, Gone: r.victim.name})
	stage.Await(r.t, seen, "the claim")
	r.victim.link.Resume()
	r.place.awaitFrame(r.t, r.session, r.phase.kind)
	r.other.link.Resume()
	if e := r.other.ended(op); e.Outcome != ack {
		r.t.Errorf("%s", e)
	}
	r.other.write(r.session, 2)
	r.victim.wake()
	r.end()
	r.mustLose()
}

// cutOff is a network that transmits nothing, in both directions or one, or whose connections are closed.
func cutOff(r *run) {
	l := r.victim.link
	switch r.random.IntN(4) {
	case 0:
		l.Stall(natstest.Up)
		l.Stall(natstest.Down)
	case 1:
		l.Stall(natstest.Up)
	case 2:
		l.Stall(natstest.Down)
		l.ResumeOnly(natstest.Up)
	case 3:
		l.Refuse()
	}
	r.take(r.other)
	l.Resume()
	r.end()
	r.mustLose()
}

// lostAck is an acknowledgement that does not arrive.
func lostAck(r *run) {
	l := r.victim.link
	l.Stall(natstest.Down)
	l.ResumeOnly(natstest.Up)
	r.place.awaitFrame(r.t, r.session, r.phase.kind)
	l.Break()
	l.Resume()
	r.end(ack)
	r.mustRetain()
}

// twoClaims lets two writers claim a session at once whose owner was killed. The first claims of both expect the
// same frame, so one is refused. Later the other one can have the session after all: meanwhile the key of the first,
// whose network was stalled, may be gone.
func twoClaims(r *run) {
	second := r.place.writer(r.t, r.session+"-second", nil)
	r.victim.Kill()
	r.victim.link.Break()
	claimants := []*writer{r.other, second}
	var ops []int
	for _, w := range claimants {
		seen := w.link.StallAt(natstest.Up, "Parley-Kind: c")
		ops = append(ops, w.send(command{Do: opOpen, Session: r.session, Gone: r.victim.name}))
		stage.Await(r.t, seen, "the claim of "+w.name)
	}
	if a, b := r.place.firstClaim(r.t, claimants[0]), r.place.firstClaim(r.t, claimants[1]); a != b {
		r.t.Errorf("the claims expect frame %d and frame %d", a, b)
	}
	for _, w := range claimants {
		w.link.Resume()
	}
	owners := 0
	for i, w := range claimants {
		if w.ended(ops[i]).Outcome != ack {
			continue
		}
		owners++
		w.send(command{Do: opAppend, Session: r.session, Count: 2, Size: 300})
		if w.run(command{Do: opSync, Session: r.session}).Outcome != ack {
			r.place.history.await(r.t, w.name+" to lose the session", func(e entry) bool { return e.Writer == w.name && e.Do == opLost })
		}
	}
	if owners == 0 {
		r.t.Error("no writer has the session")
	}
}

// firstClaim returns the sequence that the first claim of a writer expects, or with which it creates a session.
func (p *place) firstClaim(t testing.TB, w *writer) uint64 {
	t.Helper()
	return p.history.await(t, "a claim of "+w.name, func(e entry) bool {
		return e.Writer == w.name && e.Do == opFrame && (e.Frame.Kind == "claim" || e.Frame.Kind == "create")
	}).Frame.Expected
}
