package main

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

func loaded(t *testing.T) (pkgs []*packages.Package, engine *packages.Package) {
	t.Helper()
	pkgs, err := load("testdata/app", []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(pkgs, func(p *packages.Package) bool { return p.Name == "engine" })
	return pkgs, pkgs[at]
}

func TestGraph(t *testing.T) {
	_, engine := loaded(t)
	g := callsBetweenFiles(engine)
	want := []arrow{{"session.go", "turn.go"}, {"turn.go", "ask.go"}, {"turn.go", "session.go"}}
	if got := g.arrows(); !slices.Equal(got, want) {
		t.Errorf("arrows = %v, want %v", got, want)
	}
	if got := g.upward(g.order()); len(got) != 1 {
		t.Errorf("upward = %v, want one of the two between session.go and turn.go", got)
	}
	if got, want := g.upward([]string{"ask.go", "turn.go", "session.go", "options.go"}), want[:2]; !slices.Equal(got, want) {
		t.Errorf("upward = %v, want %v", got, want)
	}
}

func TestOrder(t *testing.T) {
	calls := func(pairs ...string) graph {
		g := graph{}
		for _, pair := range pairs {
			for _, file := range []string{pair[:1], pair[1:]} {
				if g[file] == nil {
					g[file] = map[string][]string{}
				}
			}
			g[pair[:1]][pair[1:]] = []string{"f"}
		}
		return g
	}
	for _, test := range []struct {
		name   string
		g      graph
		upward int
	}{
		{"a chain", calls("cb", "ba"), 0},
		{"a tree", calls("ab", "ac", "bd", "be", "cf"), 0},
		{"a ring", calls("ab", "bc", "cd", "da"), 1},
		{"two rings with a common file", calls("ab", "ba", "ac", "ca"), 2},
		{"a ring above a chain", calls("ab", "ba", "bc", "cd", "ad"), 1},
		{"callers of one file that calls back once", calls("xa", "ya", "za", "ax", "ab"), 1},
	} {
		if got := test.g.upward(test.g.order()); len(got) != test.upward {
			t.Errorf("%s: %v point upward, want %d", test.name, got, test.upward)
		}
	}
}

func TestEngine(t *testing.T) {
	pkgs, engine := loaded(t)
	options, err := structOf(engine.Types, "Options")
	if err != nil {
		t.Fatal(err)
	}
	fields := optionFields(engine.Types, options, "")
	users := usersOf(pkgs, fields)
	got := map[string]int{}
	for f, name := range fields {
		got[name] = len(users[f])
	}
	want := map[string]int{"Name": 2, "Limit": 1, "Retry.Never": 1, "Left": 0}
	if len(got) != len(want) {
		t.Errorf("fields = %v, want %v", got, want)
	}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s is set by %d packages, want %d", name, got[name], n)
		}
	}
	if got, want := wayOf(pkgs, engine.PkgPath), []string{"Submit", "begin", "run", "ask"}; !slices.Equal(got, want) {
		t.Errorf("way = %v, want %v", got, want)
	}
}
