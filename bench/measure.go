package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
	"parley.dev/parley/bench/store"
	"parley.dev/parley/internal/model/modeltest"
)

// A bench is a run that is under way.
type bench struct {
	run      report.Run
	subjects []subject
	model    *mock.Model
	wire     modeltest.Wire
	dir      string // of everything that is written
	size     size
	only     *regexp.Regexp
	logf     func(format string, args ...any)
	seeded   seeds

	servers   *store.Servers // nil: they were not needed yet
	noServers bool           // they cannot be started
}

// A size is how much a run measures.
type size struct {
	rounds   int
	starts   int // in a round
	prompts  int // of a warm session, in a round
	paced    int // deltas, one a millisecond
	long     int // deltas of a long answer, one a millisecond
	slow     int // deltas for a slow reader, one a millisecond
	fast     int // deltas as fast as they come
	tools    int // rounds with a tool
	sessions []int
	used     int   // sessions that had a turn
	streams  int   // sessions that stream at once
	journals []int // MB
	listed   int   // sessions in a list

	beside   int // runs of deltas over a relay and without, in a round
	crowd    int // clients that follow one session
	attached int // clients of a host, idle
	busy     int // sessions of a host, a tenth as many clients
	asked    int // prompts of each of those clients
	missed   int // records that a client has missed, and of a session that a console opens
	typed    int // deltas that stream to a console while keys are pressed

	servers    int // of the store on servers
	appends    int // records that are appended there
	frames     int // that each of many sessions appends at once
	opened     int // MiB of a session that is opened
	tasks      int // of a batch
	turns      int // on each store
	turnDeltas int // of each of them, one a millisecond
	moves      int // of a session between two hosts
	takeovers  int // of a session whose host was killed; each takes 15 s

	idle    time.Duration // after which a program that was just started counts as idle
	settled time.Duration // after which nothing of what was asked still runs
}

// deltas is the number of deltas that the figures refer to.
const deltas = 20_000

var (
	full = size{
		rounds: 5, starts: 8, prompts: 20, paced: 1000, long: 2000, slow: deltas, fast: deltas, tools: 20,
		sessions: []int{1, 10, 100, 1000}, used: 100, streams: 50, journals: []int{1, 10, 100}, listed: 100_000,
		beside: 2, crowd: 1000, attached: 500, busy: 1000, asked: 10, missed: 100_000, typed: 10_000,
		servers: 1, appends: 1000, frames: 100, opened: 100, tasks: 300, turns: 10, turnDeltas: 500, moves: 40, takeovers: 1,
		idle: 2 * time.Second, settled: 500 * time.Millisecond,
	}
	quick = size{
		rounds: 1, starts: 5, prompts: 10, paced: 300, long: 2000, slow: 4000, fast: deltas, tools: 10,
		sessions: []int{1, 10, 100}, used: 20, streams: 50, journals: []int{1, 10}, listed: 5_000,
		beside: 1, crowd: 100, attached: 100, busy: 100, asked: 2, missed: 20_000, typed: 2_000,
		servers: 1, appends: 500, frames: 40, opened: 10, tasks: 100, turns: 3, turnDeltas: 200, moves: 20,
		idle: 2 * time.Second, settled: 500 * time.Millisecond,
	}
)

// A measurement starts a subject and gets some figures of it.
type measurement struct {
	figures []string
	of      func(subject) bool // that it can be measured of
	measure func(*bench, subject) error
	once    bool // in a run, not in every round
}

// standalone reports whether a subject is neither a host nor a server.
func standalone(s subject) bool { return !s.hosts && !s.servers }

// relayed reports whether a host can serve the client of a subject.
func relayed(s subject) bool { return s.ours && !s.hosts && !s.servers }

// hosts reports whether a subject is a host.
func hosts(s subject) bool { return s.hosts }

// many reports whether a subject has many sessions in a process.
func many(s subject) bool { return s.Open != "" || s.Counted }

// repeats reports whether each update of a subject has the whole message.
func repeats(s subject) bool { return s.repeats }

// measurements is what there is to measure, in order.
var measurements = []measurement{
	{figures: []string{"cold-start", "cold-cpu", "pss-start"}, of: standalone, measure: (*bench).starts},
	{figures: []string{"pss-idle"}, of: standalone, measure: (*bench).idle},
	{figures: []string{"request", "first-delta", "exit"}, of: standalone, measure: (*bench).turns},
	{figures: []string{"delta-p50", "delta-p99"}, of: standalone, measure: (*bench).paced},
	{figures: []string{"long-p50", "long-p99"}, of: standalone, measure: (*bench).long},
	{figures: []string{"slow-bytes"}, of: repeats, measure: (*bench).slow, once: true},
	{figures: []string{"throughput", "delta-cpu", "delta-bytes"}, of: standalone, measure: (*bench).fast},
	{figures: []string{"shell-round"}, of: func(s subject) bool { return s.shell.name != "" }, measure: (*bench).shell},
	{figures: []string{"read-round"}, of: func(s subject) bool { return s.read.name != "" }, measure: (*bench).read},
	{figures: []string{"memory-request", "memory-shell-round", "memory-read-round"}, of: standalone, measure: (*bench).unsynced},
	{figures: []string{"sessions-1", "sessions-10", "sessions-100", "sessions-1000", "session"}, of: func(s subject) bool { return s.Open != "" }, measure: (*bench).sessions, once: true},
	{figures: []string{"session-used"}, of: func(s subject) bool { return s.Open != "" }, measure: (*bench).used, once: true},
	{figures: []string{"streams"}, of: many, measure: (*bench).streams},
	{figures: []string{"resume-1", "resume-1-memory", "resume-10", "resume-10-memory", "resume-100", "resume-100-memory"}, of: canResume, measure: (*bench).resumes},
	{figures: []string{"list-cold", "list-warm"}, of: func(s subject) bool { return s.list != "" }, measure: (*bench).lists},
	{figures: []string{"embedded-first-delta", "relay-first-delta", "relay-added", "embedded-delta-p50", "embedded-delta-p99", "relay-delta-p50", "relay-delta-p99"}, of: relayed, measure: (*bench).relays},
	{figures: []string{"agent-first-delta", "backend-first-delta", "backend-added", "agent-delta-p50", "agent-delta-p99", "backend-delta-p50", "backend-delta-p99", "backend-delta-added"}, of: drives, measure: (*bench).backends},
	{figures: []string{"backend-memory"}, of: drives, measure: (*bench).backendFlood},
	{figures: []string{"crowd-p50", "crowd-p99", "crowd-cpu"}, of: hosts, measure: (*bench).crowd},
	{figures: []string{"client-idle"}, of: hosts, measure: (*bench).attached, once: true},
	{figures: []string{"accept-p50", "accept-p99"}, of: hosts, measure: (*bench).busy, once: true},
	{figures: []string{"reconnect", "reconnect-memory"}, of: hosts, measure: (*bench).reconnects},
	{figures: []string{"tui-open", "tui-key-p50", "tui-key-p99", "tui-cpu", "tui-memory"}, of: hosts, measure: (*bench).consoles},
	{figures: []string{"web-page", "web-bytes", "socket-first-delta", "web-first-delta", "socket-delta-p50", "socket-delta-p99", "web-delta-p50", "web-delta-p99"}, of: hosts, measure: (*bench).webs},
	{figures: []string{"embedded-start", "executed-start", "host-start"}, of: hosts, measure: (*bench).hostStarts},
	{figures: []string{"raw-p50", "raw-p99", "append-p50", "append-p99"}, of: useServers, measure: (*bench).appends},
	{figures: []string{"raw-rate", "frame-rate"}, of: useServers, measure: (*bench).rates},
	{figures: []string{"raw-read", "store-open"}, of: useServers, measure: (*bench).openings, once: true},
	{figures: []string{"file-turn", "store-turn", "file-turn-p99", "store-turn-p99"}, of: useServers, measure: (*bench).storeTurns},
	{figures: []string{"task-raw", "task", "task-budget-raw", "task-budget"}, of: useServers, measure: (*bench).batches},
	{figures: []string{"idle-move"}, of: useServers, measure: (*bench).moves},
	{figures: []string{"restart"}, of: useServers, measure: (*bench).restarts},
	{figures: []string{"takeover"}, of: useServers, measure: (*bench).takeovers, once: true},
}

// wanted reports whether any figure of a measurement is.
func (b *bench) wanted(m measurement) bool {
	return slices.ContainsFunc(m.figures, b.only.MatchString)
}

// all measures everything, programs in turn, so that what the machine does besides meets all of them.
func (b *bench) all() error {
	var failed []error
	for _, m := range measurements {
		if !b.wanted(m) {
			continue
		}
		rounds := b.size.rounds
		if m.once {
			rounds = min(rounds, 1)
		}
		begin := mock.Now()
		for range rounds {
			for _, s := range b.subjects {
				if !m.of(s) {
					continue
				}
				err := m.measure(b, s)
				if err == nil {
					continue
				}
				err = fmt.Errorf("%s of %s could not be measured: %w", m.figures[0], s.Name, err)
				b.logf("%v", err)
				if s.ours || s.Name == report.Floor {
					failed = append(failed, err)
				}
			}
		}
		b.logf("%s: %.0f s", strings.Join(m.figures, ", "), (mock.Now() - begin).Seconds())
	}
	return errors.Join(failed...)
}

// with runs work with a started subject in a fresh place.
func (b *bench) with(s subject, work func(*agent) error) error {
	p, err := newPlace(b.dir)
	if err != nil {
		return err
	}
	defer p.remove()
	return b.in(p, s, work)
}

// in runs work with a subject that is started in that place.
func (b *bench) in(p *place, s subject, work func(*agent) error, args ...string) error {
	cmd, err := p.command(s, b.wire, b.model.URL, args...)
	if err != nil {
		return err
	}
	a, err := launch(s, p, cmd)
	if err != nil {
		return err
	}
	defer a.kill()
	return work(a)
}

// add keeps figures of a subject.
func (b *bench) add(a *agent, figure string, values ...float64) {
	b.run.Add(figure, a.Name, values...)
}
