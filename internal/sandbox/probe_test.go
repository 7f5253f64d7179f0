package sandbox

import "testing"

func TestProbe(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Probe(t.Context()) {
		t.Logf("%+v", m)
		if m.Name == "" || seen[m.Name] {
			t.Errorf("%+v: no name of its own", m)
		}
		seen[m.Name] = true
		if m.Detail == "" || m.Available != (m.Fix == "") {
			t.Errorf("%+v: no detail, or a fix for what works", m)
		}
	}
	if !seen["bubblewrap"] {
		t.Error("bubblewrap was not looked for")
	}
}
