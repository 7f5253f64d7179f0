package main

import (
	"slices"
	"time"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
)

// relays measures a client that a host serves beside one that an embedded process serves: both are prompted in turn.
func (b *bench) relays(s subject) error {
	return b.warm(s, func(embedded *agent) error {
		p, err := newPlace(b.dir)
		if err != nil {
			return err
		}
		defer p.remove()
		return b.serving(p, subject{dialect: host, path: s.path, ours: true}, func(*agent) error {
			return b.in(p, s, func(relay *agent) error {
				if err := b.warmUp(relay); err != nil {
					return err
				}
				if err := b.firstDeltas(embedded, relay); err != nil {
					return err
				}
				return b.pacedBoth(embedded, relay)
			}, "--host=unix:"+p.socket())
		})
	})
}

// firstDeltas measures what both add to the first delta.
func (b *bench) firstDeltas(embedded, relay *agent) error {
	var took [2]report.Sample
	for n := range b.size.prompts * b.size.beside {
		for i, a := range inTurn(n, embedded, relay) {
			answer, _, err := b.play(a, mock.Scenario{First: slowFirst, Deltas: 1, Every: time.Millisecond})
			if err != nil {
				return err
			}
			took[i^n&1] = append(took[i^n&1], answer.latency[0].Seconds())
		}
	}
	b.add(embedded, "embedded-first-delta", took[0]...)
	b.add(relay, "relay-first-delta", took[1]...)
	b.add(relay, "relay-added", took[1].Median()-took[0].Median())
	return nil
}

// pacedBoth measures the latency of deltas, one a millisecond, of both.
func (b *bench) pacedBoth(embedded, relay *agent) error {
	for n := range b.size.beside {
		for i, a := range inTurn(n, embedded, relay) {
			late, err := b.late(a, b.size.paced)
			if err != nil {
				return err
			}
			of := []string{"embedded", "relay"}[i^n&1]
			b.add(a, of+"-delta-p50", late.At(0.5))
			b.add(a, of+"-delta-p99", late.At(0.99))
		}
	}
	return nil
}

// inTurn returns agents in their order, or every other time in the other.
func inTurn(n int, agents ...*agent) []*agent {
	if n%2 == 1 {
		slices.Reverse(agents)
	}
	return agents
}

// hostStarts measures the start of a host beside that of Flint.
func (b *bench) hostStarts(s subject) error {
	embedded := s
	embedded.dialect = ours[slices.IndexFunc(ours, func(d dialect) bool { return d.Name == "flint" })]
	p, err := newPlace(b.dir)
	if err != nil {
		return err
	}
	defer p.remove()
	for range b.size.starts {
		for figure, of := range map[string]subject{"embedded-start": embedded, "host-start": s} {
			err := b.in(p, of, func(a *agent) error {
				took, err := a.ready()
				b.run.Add(figure, s.Name, took.Seconds())
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
