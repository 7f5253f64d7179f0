package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
	"parley.dev/parley/bench/store"
	"parley.dev/parley/internal/dialect/dialogue"
)

// onServers is the store on NATS servers, which is measured in this process, and through hosts of the program.
var onServers = dialect{Dialect: dialogue.Dialect{Name: "store"}, servers: true}

// useServers reports whether a subject is the store on servers.
func useServers(s subject) bool { return s.servers }

// withServers runs work with the servers of the run, which are started when they are first needed. Without a server it does nothing.
func (b *bench) withServers(work func(context.Context, *store.Servers) error) error {
	ctx := context.Background()
	if b.servers == nil && !b.noServers {
		servers, err := store.Start(ctx, b.dir, b.size.servers)
		if errors.Is(err, store.ErrNoServer) {
			b.logf("the store on servers is left out: %v", err)
			b.noServers = true
		} else if err != nil {
			return err
		}
		b.servers = servers
	}
	if b.noServers {
		return nil
	}
	return work(ctx, b.servers)
}

func seconds(all []time.Duration) (s report.Sample) {
	for _, d := range all {
		s = append(s, d.Seconds())
	}
	return s
}

// appends measures appends of a record, each beside a raw publish.
func (b *bench) appends(s subject) error {
	return b.withServers(func(ctx context.Context, servers *store.Servers) error {
		p, err := servers.Appends(ctx, b.size.appends)
		if err != nil {
			return err
		}
		raw, ours := seconds(p.Raw), seconds(p.Ours)
		b.run.Add("raw-p50", s.Name, raw.At(0.5))
		b.run.Add("raw-p99", s.Name, raw.At(0.99))
		b.run.Add("append-p50", s.Name, ours.At(0.5))
		b.run.Add("append-p99", s.Name, ours.At(0.99))
		return nil
	})
}

// writers is how many sessions append at the same time.
const writers = 64

// rates measures frames of many sessions, after as many raw publishers.
func (b *bench) rates(s subject) error {
	return b.withServers(func(ctx context.Context, servers *store.Servers) error {
		raw, frames, err := servers.Rates(ctx, writers, b.size.frames)
		if err != nil {
			return err
		}
		b.run.Add("raw-rate", s.Name, raw)
		b.run.Add("frame-rate", s.Name, frames)
		return nil
	})
}

// openings measures the opening of a long session, after a raw read of the same messages.
func (b *bench) openings(s subject) error {
	return b.withServers(func(ctx context.Context, servers *store.Servers) error {
		p, err := servers.Open(ctx, b.size.opened<<20, 3)
		if err != nil {
			return err
		}
		// Quick runs open a shorter one: the figures are scaled to the full size.
		scale := float64(full.opened) / float64(b.size.opened)
		b.run.Add("raw-read", s.Name, seconds(p.Raw).Median()*scale)
		b.run.Add("store-open", s.Name, seconds(p.Ours).Median()*scale)
		return nil
	})
}

// batches measures what a task costs besides its turn, in publishes.
func (b *bench) batches(s subject) error {
	return b.withServers(func(ctx context.Context, servers *store.Servers) error {
		for figure, budget := range map[string]bool{"task": false, "task-budget": true} {
			p, err := servers.Tasks(ctx, b.size.tasks, budget)
			if err != nil {
				return err
			}
			b.run.Add(figure+"-raw", s.Name, seconds(p.Raw).Median())
			b.run.Add(figure, s.Name, seconds(p.Ours).Median())
		}
		return nil
	})
}

// turnRounds is how many calls of a tool a turn has that is measured on both stores: with six records for each, and those of its prompt
// and its answer, it has about 20.
const turnRounds = 2

// storeTurns measures the same turn on the store and on files, in turn.
func (b *bench) storeTurns(s subject) error {
	return b.withServers(func(ctx context.Context, servers *store.Servers) error {
		a, err := servers.Namespace(ctx)
		if err != nil {
			return err
		}
		took, late := map[string]report.Sample{}, map[string]report.Sample{}
		flint := subject{dialect: ours[1], path: s.path, ours: true}
		other := flint
		other.args = append([]string{"--store", servers.Location(a)}, flint.args...)
		err = b.warm(flint, func(files *agent) error {
			return b.warm(other, func(onStore *agent) error {
				for range b.size.turns {
					for figure, agent := range map[string]*agent{"file": files, "store": onStore} {
						answer, take, err := b.play(agent, mock.Scenario{Rounds: turnRounds, Tool: flint.dialect.read.name, Input: flint.dialect.read.input, Deltas: b.size.turnDeltas, Every: time.Millisecond})
						if err != nil {
							return err
						}
						if n := len(take.Arrived()); n != turnRounds+1 {
							return fmt.Errorf("a turn had %d requests", n)
						}
						took[figure] = append(took[figure], (answer.ended - answer.asked).Seconds())
						late[figure] = append(late[figure], seconds(answer.latency)...)
					}
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
		for _, figure := range []string{"file", "store"} {
			b.run.Add(figure+"-turn", s.Name, took[figure].Median())
			b.run.Add(figure+"-turn-p99", s.Name, late[figure].At(0.99))
		}
		return nil
	})
}
