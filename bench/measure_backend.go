package main

import (
	"fmt"
	"slices"

	"parley.dev/parley/bench/mock"
)

// drives reports whether a subject is measured with an agent as its back end.
func drives(s subject) bool { return s.ours && s.Name == "flint" }

// backendOf returns the floor as an agent, and s with it as its back end. The figures of both are those of s.
func (b *bench) backendOf(s subject) (alone, driven subject) {
	floor := b.subjects[0].path
	alone = subject{dialect: dialect{Dialect: named("acp")}, path: floor, env: []string{"OPENAI_BASE_URL=$URL"}}
	alone.Name, alone.Args = s.Name, []string{"acp"}
	driven = s
	driven.args = append(slices.Clip(s.args), "--backend", "acp:floor")
	driven.env = append(slices.Clip(s.env), "PARLEY_CONFIG=$HOME/config.jsonc")
	driven.files = map[string]string{"config.jsonc": fmt.Sprintf(`{"backends":{"acp:floor":{"command":[%q,"acp"],"env":{"OPENAI_BASE_URL":"$URL"}}}}`, floor)}
	return alone, driven
}

// backends measures an agent alone beside the same as a back end: both are prompted in turn.
func (b *bench) backends(s subject) error {
	one, other := b.backendOf(s)
	return b.warm(one, func(alone *agent) error {
		return b.warm(other, func(driven *agent) error {
			both := pair{{"agent", alone}, {"backend", driven}}
			if err := b.firstDeltas(both); err != nil {
				return err
			}
			more, err := b.pacedBoth(both)
			b.add(driven, "backend-delta-added", more...)
			return err
		})
	})
}

// backendFlood measures by how much the memory of our program grows while a back end writes deltas as fast as it can.
func (b *bench) backendFlood(s subject) error {
	_, driven := b.backendOf(s)
	return b.warm(driven, func(a *agent) error {
		before, _, err := resident(a.cmd.Process.Pid)
		if err != nil {
			return nil //nolint:nilerr // this system does not report it
		}
		if _, _, err := b.play(a, mock.Scenario{Deltas: b.size.fast}); err != nil {
			return err
		}
		_, peak, err := resident(a.cmd.Process.Pid)
		b.add(a, "backend-memory", float64(max(peak-before, 0)))
		return err
	})
}
