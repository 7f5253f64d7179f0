package main

import (
	"strings"
	"testing"
	"time"

	"parley.dev/parley/bench/store"
)

func TestParseCluster(t *testing.T) {
	for _, test := range []struct {
		args string
		want store.Simulation
		err  string
	}{
		{"", store.Simulation{Hosts: 50, Sessions: 20, Time: 15 * time.Second}, ""},
		{"-simulate hosts=1000", store.Simulation{Hosts: 1000, Sessions: 20, Time: 15 * time.Second}, ""},
		{"--simulate sessions=3,hosts=2 -time 1s", store.Simulation{Hosts: 2, Sessions: 3, Time: time.Second}, ""},
		{"-simulate sessions=3", store.Simulation{}, "hosts=N is missing"},
		{"-simulate hosts", store.Simulation{}, "no number above 0"},
		{"-simulate hosts=0", store.Simulation{}, "no number above 0"},
		{"-simulate hosts=2,shards=2", store.Simulation{}, "neither hosts nor sessions"},
	} {
		o, err := parseCluster(strings.Fields(test.args))
		switch {
		case test.err == "" && (err != nil || o.simulation != test.want):
			t.Errorf("%q: %+v, %v", test.args, o.simulation, err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%q: error %v, want %q", test.args, err, test.err)
		}
	}
}

// TestSimulate simulates three hosts on a real server.
func TestSimulate(t *testing.T) {
	o, err := parseCluster([]string{"-simulate", "hosts=3,sessions=2", "-time", "1s", "-dir", t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := simulate(t.Context(), o, func(s string) { text.WriteString(s) }); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "is left out") {
		t.Skip(text.String())
	}
	for _, want := range []string{"| 3 hosts, 2 sessions each |", "| append p50, p99 |", "| renewals (one each 5 s) | 20/s | 200/s | 2000/s |"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("there is no %q in\n%s", want, text.String())
		}
	}
}
