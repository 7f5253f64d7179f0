package e2e

import (
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
)

// A place is the fresh folders that clients start the program in, one start after the other.
type place struct{ *stage.Place }

func newPlace(t testing.TB) *place {
	t.Helper()
	return &place{stage.NewPlace(t)}
}

func (p *place) serve(t testing.TB, args ...string) *client.ScaiFlux {
	t.Helper()
	return client.StartScaiFlux(t, p.Place, args...)
}

func (p *place) air(t testing.TB, args ...string) *client.AgentAir {
	t.Helper()
	return client.StartAgentAir(t, p.Place, args...)
}

// flint gives the offline model a script.
func (p *place) flint(t testing.TB, script string, args ...string) *client.Flint {
	t.Helper()
	p.Plays(t, script)
	return client.StartFlint(t, p.Place, args...)
}

func (p *place) loaf(t testing.TB) *client.Loaf {
	t.Helper()
	return client.StartLoaf(t, p.Place)
}

func (p *place) pisces(t testing.TB, args ...string) *client.Pisces {
	t.Helper()
	return client.StartPisces(t, p.Place, args...)
}
