package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/stream"
)

// A Simulation is hosts of one process: each has a connection and a key of its own, and sessions without a model.
type Simulation struct {
	Hosts    int
	Sessions int           // of a host
	Time     time.Duration // how long turns run
}

// The load of a host, as in the calculation of docs/cluster.md.
const (
	runningPart  = 0.02 // of the sessions are in a turn, at least one
	turnInterval = 2 * time.Second
)

// A Scale is what a simulation has measured.
type Scale struct {
	Simulation
	Join             time.Duration // until all hosts are members
	Live             int           // hosts that are live at the end, all of which must be
	Hosted           time.Duration // a list of the hosts
	Renewals         float64       // a second
	Frames           float64       // a second
	Append           []time.Duration
	Index            time.Duration // the first list of sessions of a new host
	IndexBytes       float64       // of an entry
	ConnectionMemory float64       // of the servers, for a host; 0: not known
	Memory           float64       // of the first server at the end; 0: not known
}

// Simulate runs a simulation in a new namespace.
func (s *Servers) Simulate(ctx context.Context, sim Simulation) (m Scale, err error) {
	m.Simulation = sim
	a, err := s.Namespace(ctx)
	if err != nil {
		return m, err
	}
	before := s.memory()
	var renewals counter
	hosts := make([]*simulatedHost, sim.Hosts)
	begin := time.Now()
	err = together(hosts, func(i int) (err error) {
		hosts[i], err = newSimulatedHost(ctx, a, i, &renewals)
		return err
	})
	defer func() { err = errors.Join(err, together(hosts, func(i int) error { return hosts[i].close() })) }()
	if err != nil {
		return m, err
	}
	m.Join, m.ConnectionMemory = time.Since(begin), (s.memory()-before)/float64(sim.Hosts)
	if err := together(hosts, func(i int) error { return hosts[i].create(ctx, sim.Sessions) }); err != nil {
		return m, err
	}
	renewed, begin := renewals.value(), time.Now()
	err = together(hosts, func(i int) error { return hosts[i].runTurns(sim) })
	took := time.Since(begin).Seconds()
	m.Renewals = float64(renewals.value()-renewed) / took
	for _, h := range hosts {
		m.Append = append(m.Append, h.appends...)
	}
	m.Frames = float64(len(m.Append)) / took
	if err != nil {
		return m, err
	}
	m.Memory = s.memory()
	return m, errors.Join(m.list(ctx, hosts[0].member), m.readIndex(ctx, s, a))
}

// list measures a list of the hosts.
func (m *Scale) list(ctx context.Context, member *cluster.Member) error {
	begin := time.Now()
	hosts, err := member.Hosts(ctx)
	m.Hosted = time.Since(begin)
	for _, h := range hosts {
		if h.Live {
			m.Live++
		}
	}
	if err == nil && m.Live != m.Hosts {
		err = fmt.Errorf("%d of %d hosts are live", m.Live, m.Hosts)
	}
	return err
}

// readIndex measures the first list of sessions of a new host.
func (m *Scale) readIndex(ctx context.Context, s *Servers, a stream.Address) error {
	store := jetstream.New(cluster.New(cluster.Options{Address: a}))
	begin := time.Now()
	page, err := store.List(ctx, journal.Query{All: true, Count: true})
	m.Index = time.Since(begin)
	if err == nil && page.Total != m.Hosts*m.Sessions {
		err = fmt.Errorf("a new host lists %d of %d sessions", page.Total, m.Hosts*m.Sessions)
	}
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	raw, disconnect, err := s.connect()
	if err != nil {
		return err
	}
	defer disconnect()
	index, err := raw.Stream(ctx, "KV_"+a.Namespace+"_index")
	if err != nil {
		return err
	}
	state := index.CachedInfo().State
	m.IndexBytes = float64(state.Bytes) / float64(state.Msgs)
	return nil
}

// memory returns the resident memory of the first server in bytes; 0: it is not known.
func (s *Servers) memory() float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.processes[0].Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	var kib float64
	_, _ = fmt.Sscan(rest, &kib) // else it is not known
	return kib * 1024
}

// A simulatedHost is one host of a simulation.
type simulatedHost struct {
	member   *cluster.Member
	store    journal.Store
	number   int
	journals []journal.Journal
	appends  []time.Duration
}

func newSimulatedHost(ctx context.Context, a stream.Address, number int, renewals *counter) (*simulatedHost, error) {
	member := cluster.New(cluster.Options{Address: a, HostName: fmt.Sprint("host", number)})
	member.OnRenewal(func(time.Duration) { renewals.add() })
	h := &simulatedHost{member: member, store: jetstream.New(member), number: number}
	_, err := member.Connect(ctx)
	return h, err
}

func (h *simulatedHost) create(ctx context.Context, sessions int) error {
	for n := range sessions {
		id := event.SessionID(fmt.Sprintf("h%d-s%d", h.number, n))
		j, err := create(ctx, h.store, id)
		if err != nil {
			return fmt.Errorf("create session %s: %w", id, err)
		}
		h.journals = append(h.journals, j)
	}
	return nil
}

// runTurns appends to the sessions that are in a turn, each of which begins at another time.
func (h *simulatedHost) runTurns(sim Simulation) error {
	running := h.journals[:min(len(h.journals), max(1, int(runningPart*float64(sim.Sessions))))]
	text := strings.Repeat("x", 2000)
	offset := turnInterval * time.Duration(h.number) / time.Duration(sim.Hosts)
	end := time.Now().Add(sim.Time)
	for next := time.Now().Add(offset); next.Before(end); next = next.Add(turnInterval) {
		<-time.After(time.Until(next))
		for _, j := range running {
			begin := time.Now()
			if err := appendRecord(j, text); err != nil {
				return fmt.Errorf("append to session %s: %w", j.ID(), err)
			}
			h.appends = append(h.appends, time.Since(begin))
		}
	}
	return nil
}

func (h *simulatedHost) close() (err error) {
	if h == nil {
		return nil
	}
	for _, j := range h.journals {
		err = errors.Join(err, j.Close())
	}
	return errors.Join(err, h.store.Close())
}

// together calls do for each of the hosts, side by side.
func together(hosts []*simulatedHost, do func(i int) error) error {
	errs := make([]error, len(hosts))
	var running sync.WaitGroup
	for i := range hosts {
		running.Go(func() { errs[i] = do(i) })
	}
	running.Wait()
	return errors.Join(errs...)
}

// A counter is a number that several goroutines count.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *counter) value() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// quantile returns one of durations; 0 of none.
func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(q*float64(len(sorted)-1))]
}
