package main

import (
	"time"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
)

// A pair is two agents that are prompted in turn, so that what the machine does besides meets both. Names begin their figures.
type pair [2]struct {
	name string
	*agent
}

// inTurn returns the indexes of both in their order, or every other time in the other.
func (pair) inTurn(n int) [2]int { return [2]int{n & 1, n&1 ^ 1} }

// firstDeltas measures what both add to the first delta, and what the second adds to the first.
func (b *bench) firstDeltas(both pair) error {
	var took [2]report.Sample
	for n := range b.size.prompts * b.size.beside {
		for _, i := range both.inTurn(n) {
			answer, _, err := b.play(both[i].agent, mock.Scenario{First: slowFirst, Deltas: 1, Every: time.Millisecond})
			if err != nil {
				return err
			}
			took[i] = append(took[i], answer.latency[0].Seconds())
		}
	}
	for i, a := range both {
		b.add(a.agent, a.name+"-first-delta", took[i]...)
	}
	b.add(both[1].agent, both[1].name+"-added", took[1].Median()-took[0].Median())
	return nil
}

// pacedBoth measures the latency of deltas, one a millisecond, of both, and returns by how much the median of the second is more.
func (b *bench) pacedBoth(both pair) (more report.Sample, err error) {
	for n := range b.size.beside {
		var medians [2]float64
		for _, i := range both.inTurn(n) {
			a := both[i]
			late, err := b.late(a.agent, b.size.paced)
			if err != nil {
				return nil, err
			}
			medians[i] = late.At(0.5)
			b.add(a.agent, a.name+"-delta-p50", medians[i])
			b.add(a.agent, a.name+"-delta-p99", late.At(0.99))
		}
		more = append(more, medians[1]-medians[0])
	}
	return more, nil
}
