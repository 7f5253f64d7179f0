//go:build linux

package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// TestFaults lets each phase meet each fault, on one server and on three. Faults with which seeds have failed before
// also meet those.
func TestFaults(t *testing.T) {
	seed := firstSeed(t)
	failed := failedSeeds(t)
	for _, replicas := range []int{1, 3} {
		t.Run(fmt.Sprint("R", replicas), func(t *testing.T) {
			t.Parallel()
			skipCluster(t, replicas)
			shared := newPlace(t, replicas, "") // of the faults of processes
			t.Cleanup(func() { shared.report(t) })
			for i := range faults {
				f := &faults[i]
				if !slices.Contains(f.replicas, replicas) {
					continue
				}
				for name, seed := range f.seeds(replicas, seed, failed) {
					t.Run(name, func(t *testing.T) {
						repeatable(t, seed, failure{replicas, seed, f.name})
						if f.does == nil { // one set of servers that fail at a time: elections need processors
							if testing.Short() {
								t.Skip("servers that fail one after the other take minutes")
							}
							f.together(t, replicas, seed)
							return
						}
						t.Parallel()
						f.processes(t, shared, seed)
					})
				}
			}
		})
	}
}

// seeds returns the seeds with which a fault is run, by the names of the tests.
func (f *fault) seeds(replicas int, seed uint64, failed []failure) map[string]uint64 {
	all := map[string]uint64{f.name: seed}
	for _, old := range failed {
		if old.replicas == replicas && old.fault == f.name && old.seed != seed {
			all[fmt.Sprintf("%s-seed-%d", f.name, old.seed)] = old.seed
		}
	}
	return all
}

// phases returns the phases that the fault meets.
func (f *fault) phases() (all []*phase) {
	for i := range phases {
		if !slices.Contains(f.without, phases[i].name) {
			all = append(all, &phases[i])
		}
	}
	return all
}

// processes lets the phases meet a fault of processes, each for itself.
func (f *fault) processes(t *testing.T, p *place, seed uint64) {
	for _, ph := range f.phases() {
		t.Run(ph.name, func(t *testing.T) {
			t.Parallel()
			repeatable(t, seed, failure{p.replicas, seed, f.name})
			session := sessionName(f.name, ph.name, seed)
			r := newRun(t, p, ph, session, cellSeed(seed, f.name+"-"+ph.name))
			r.reach()
			f.does(r)
			r.finish()
		})
	}
}

// together lets all phases meet a fault of servers of their own.
func (f *fault) together(t *testing.T, replicas int, seed uint64) {
	data := ""
	if f.disk {
		data = filepath.Join(t.TempDir(), "disk")
		stage.MountSmall(t, data)
	}
	p := newPlace(t, replicas, data)
	p.seed(cellSeed(seed, f.name))
	if f.disk {
		p.disk = data
	}
	if f.split {
		p.split = p.leader(t) + 1
	}
	var runs []*run
	for _, ph := range f.phases() {
		r := newRun(t, p, ph, sessionName(f.name, ph.name, seed), cellSeed(seed, f.name+"-"+ph.name))
		r.reach()
		runs = append(runs, r)
	}
	f.servers(p, runs)
	t.Run("after", func(t *testing.T) {
		for _, r := range runs {
			t.Run(r.phase.name, func(t *testing.T) {
				t.Parallel()
				r.use(t)
				f.after(r)
				r.finish()
			})
		}
	})
	p.report(t)
}
