package hosts

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/cluster"
)

// report reports the middle and the largest of durations, in milliseconds.
func report(b *testing.B, all []time.Duration) {
	b.Helper()
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(all[len(all)-1].Microseconds())/1000, "max-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkMove measures how long it takes to open a session that another host has had, and that is idle.
func BenchmarkMove(b *testing.B) {
	f := newFleet(b, "text x\n")
	one, two := f.start("a").client("a"), f.start("b").client("b")
	one.create("s", f.place.Work, "prompt")
	one.must("session/save", map[string]any{"session": "s"}, nil)
	one.must("session/close", map[string]any{"session": "s"}, nil)
	var all []time.Duration
	for b.Loop() {
		one, two = two, one
		start := time.Now()
		if o := one.open("s"); o.Via != nil {
			b.Fatalf("it is relayed: %+v", o)
		}
		all = append(all, time.Since(start))
		one.must("session/close", map[string]any{"session": "s"}, nil)
	}
	report(b, all)
}

// BenchmarkDelta measures how much later a delta of a model reaches a client through another host than one at the host itself.
func BenchmarkDelta(b *testing.B) {
	f := newFleet(b, strings.Repeat("wait 2ms\ntext word\n", 500))
	other, here := f.start("b"), f.start("a")
	direct := other.client("direct")
	direct.create("s", f.place.Work, "prompt")
	direct.must("session/save", map[string]any{"session": "s"}, nil)
	direct.follow("s", 1)
	relayed := here.client("relayed")
	if o := relayed.open("s"); o.Via == nil {
		b.Fatal("it is not relayed")
	}
	relayed.follow("s", 1)
	for b.Loop() {
		direct.prompt("s", "p", "Go.")
		direct.until("turn_ended", 1)
		relayed.until("turn_ended", 1)
	}
	if len(direct.times) != len(relayed.times) {
		b.Fatalf("%d deltas at the host, %d through the other one", len(direct.times), len(relayed.times))
	}
	var added []time.Duration
	for i, at := range relayed.times {
		added = append(added, at.Sub(direct.times[i]))
	}
	slices.Sort(added)
	b.ReportMetric(float64(added[len(added)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(added[len(added)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkTakeover measures how long a client whose host relays a session waits after kill -9 of the other host. With
// PARLEY_BENCH_TTL=15s the keys of hosts last as long as in production.
func BenchmarkTakeover(b *testing.B) {
	f := newFleet(b, "text x\n")
	if os.Getenv("PARLEY_BENCH_TTL") != "" {
		f.ttl = cluster.DefaultHostTTL
	}
	a := f.start("a")
	var all []time.Duration
	for n := 0; b.Loop(); n++ {
		session, other := fmt.Sprint("s-", n), f.start(fmt.Sprint("b", n))
		owner := other.client("owner")
		owner.create(session, f.place.Work, "prompt")
		owner.must("session/save", map[string]any{"session": session}, nil)
		c := a.client("c")
		c.follow(session, 1)
		other.process.Kill()
		start := time.Now()
		c.prompt(session, "p", "Go.")
		all = append(all, time.Since(start))
	}
	report(b, all)
}

// BenchmarkRestart measures how long it takes until a session can be prompted on a host that was killed and started again, from
// when the new process is started.
func BenchmarkRestart(b *testing.B) {
	f := newFleet(b, "text x\n")
	var all []time.Duration
	h := f.start("a")
	h.client("creator").create("s", f.place.Work, "prompt")
	creator := h.client("c")
	creator.must("session/save", map[string]any{"session": "s"}, nil)
	for n := 0; b.Loop(); n++ {
		h.process.Kill()
		start := time.Now()
		h = f.start("a")
		h.client("c").prompt("s", fmt.Sprint("p-", n), "Go.")
		all = append(all, time.Since(start))
	}
	report(b, all)
}
