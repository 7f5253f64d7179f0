//go:build linux

package store

import (
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream/natstest"
)

// outage is how long servers are away: longer than the key of a host lasts.
const outage = testTTL + time.Second

// elapse waits: what is tested is that nothing happens in a time.
func elapse(t testing.TB, d time.Duration) {
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}

// resume lets the messages on their way arrive, if a server is there.
func resume(runs []*run) {
	for _, r := range runs {
		r.victim.link.Resume()
	}
}

// claim makes the other writers of runs try to take the sessions over during a fault. See run.resolved.
func claim(runs []*run) {
	for _, r := range runs {
		if r.phase.name == "append" || r.phase.name == "sync" || r.phase.name == "idle" {
			r.claim = r.other.send(command{Do: opLease, Session: r.session, LimitMS: outage.Milliseconds() / 2})
		}
	}
}

// noMajority stops or kills so many servers that none has a majority.
func noMajority(p *place, runs []*run) {
	away := p.servers[:1]
	if p.replicas > 1 {
		away = p.servers[:2]
	}
	kill := p.random.IntN(2) == 0
	for i, s := range away {
		if kill {
			s.Kill()
		} else {
			p.signal(i, syscall.SIGSTOP)
		}
	}
	from := time.Now().Add(200 * time.Millisecond)
	resume(runs)
	claim(runs)
	elapse(p.t, outage)
	e, found, _ := p.history.find(func(e entry) bool {
		return e.End && e.Outcome == ack && (e.Do == opSync || e.Do == opCreate || e.Do == opLease) && e.Time > from.UnixNano()
	})
	if found {
		p.t.Errorf("without a majority: %s", e)
	}
	for i, s := range away {
		if kill {
			s.Restart(p.t)
		} else {
			p.signal(i, syscall.SIGCONT)
		}
	}
}

// leaderPaused is SIGSTOP of the leader.
func leaderPaused(p *place, runs []*run) {
	leader := p.leader(p.t)
	p.signal(leader, syscall.SIGSTOP)
	resume(runs)
	claim(runs)
	elapse(p.t, outage)
	p.signal(leader, syscall.SIGCONT)
}

// leaderKilled is kill -9 of the leader. It is started again when another one leads.
func leaderKilled(p *place, runs []*run) {
	leader := p.leader(p.t)
	p.servers[leader].Kill()
	resume(runs)
	claim(runs)
	p.leader(p.t)
	elapse(p.t, outage)
	p.servers[leader].Restart(p.t)
}

// stepDown makes the leader resign, twice.
func stepDown(p *place, runs []*run) {
	p.stepDown(p.t)
	resume(runs)
	p.leader(p.t)
	p.stepDown(p.t)
}

// oneWay makes the leader receive nothing from the other servers, or them nothing from it.
func oneWay(p *place, runs []*run) {
	leader, receives := p.leader(p.t), p.random.IntN(2) == 0
	for pair, l := range p.routes {
		switch leader {
		case pair[0]: // it has connected
			l.Stall(direction(receives, natstest.Down, natstest.Up))
		case pair[1]:
			l.Stall(direction(receives, natstest.Up, natstest.Down))
		}
	}
	resume(runs)
	claim(runs)
	elapse(p.t, outage)
	p.join()
}

func direction(first bool, a, b natstest.Direction) natstest.Direction {
	if first {
		return a
	}
	return b
}

// slowLink makes all messages take a time, those of the victims and those between servers.
func slowLink(p *place, runs []*run) {
	resume(runs)
	var links []*natstest.Link
	for _, r := range runs {
		links = append(links, r.victim.link)
	}
	for _, l := range p.routes {
		links = append(links, l)
	}
	for _, l := range links {
		l.Delay(time.Duration(20+p.random.IntN(200)) * time.Millisecond)
	}
	claim(runs)
	elapse(p.t, outage)
	for _, l := range links {
		l.Resume()
	}
}

// slowBytes is what a slow disk writes, in bytes a second: the largest message takes seconds.
const slowBytes = 256 << 10

// slowDisk makes the disks of all servers slow. A server does not read from a client while it stores a message of it:
// a key is not renewed meanwhile.
func slowDisk(p *place, runs []*run) {
	var undo []func()
	for _, s := range p.servers {
		undo = append(undo, stage.SlowDisk(p.t, s.Process().Pid, s.Data, slowBytes))
	}
	resume(runs)
	claim(runs)
	elapse(p.t, outage)
	for _, undo := range undo {
		undo()
	}
}

// clockStep pauses the leader, and lets the clocks of the other writers step, as those of machines that sleep: that
// no key was renewed for so long must not count as the end of the victims.
func clockStep(p *place, runs []*run) {
	leader := p.leader(p.t)
	p.signal(leader, syscall.SIGSTOP)
	resume(runs)
	for _, r := range runs {
		r.other.must(command{Do: opClock, LimitMS: 1000 * int64(1+p.random.IntN(3600))})
	}
	claim(runs)
	elapse(p.t, outage)
	p.signal(leader, syscall.SIGCONT)
}

// deposed isolates the leader, together with the victims, until the others have the sessions.
func deposed(p *place, runs []*run) {
	p.isolate(p.split - 1)
	resume(runs)
	var takes []func()
	for _, r := range runs {
		r.checker.stale = map[string]bool{r.victim.name: true}
		r.victim.send(command{Do: opRead, Session: r.session})
		takes = append(takes, r.beginTake(r.other))
	}
	for _, end := range takes {
		end()
	}
	for _, r := range runs {
		r.victim.send(command{Do: opRead, Session: r.session})
	}
	p.join()
}

// fullDisk fills the disk of the server, and frees it when the writers had time to notice.
func fullDisk(p *place, runs []*run) {
	stage.FillSmall(p.t, p.disk)
	resume(runs)
	elapse(p.t, time.Second)
	stage.FreeSmall(p.t, p.disk)
	p.servers[0].Kill() // a server that could not write does not write again
	p.servers[0].Restart(p.t)
}
