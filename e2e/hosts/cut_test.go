package hosts

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/stream/natstest"
)

const (
	// seedEnv is the environment variable with the seed of TestTunnelCut; the default is 1.
	seedEnv = "PARLEY_HOSTS_SEED"
	// durationEnv is the environment variable with the time for which networks are disturbed in it.
	durationEnv = "PARLEY_HOSTS_TIME"
	// cutTime is the default.
	cutTime = 7 * time.Second
	// cutSilence is the limit of silence of the tunnels in these tests.
	cutSilence = 1500 * time.Millisecond
)

// cutSettings returns the seed and the duration.
func cutSettings(t *testing.T) (seed uint64, duration time.Duration) {
	t.Helper()
	seed, duration = 1, cutTime
	var err error
	if text := os.Getenv(seedEnv); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedEnv, err)
		}
	}
	if text := os.Getenv(durationEnv); text != "" {
		if duration, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", durationEnv, err)
		}
	}
	return seed, duration
}

// cutScript returns a model whose turns have texts with many deltas, and calls with output that need an approval.
func cutScript(random *rand.Rand, turns int) string {
	var b strings.Builder
	pieces := func(word string, count int) {
		for n := range count {
			fmt.Fprintf(&b, "%s \"%07d \"\n", word, n)
			if n%4 == 3 {
				b.WriteString("wait 2ms\n")
			}
		}
	}
	for range turns {
		for range 1 + random.IntN(3) {
			pieces("think", random.IntN(40))
			pieces("text", 20+random.IntN(300))
			for range 1 + random.IntN(2) {
				last := 5 + random.IntN(25)
				fmt.Fprintf(&b, "call shell {\"command\":\"for i in $(seq 0 %d); do printf '%%07d\\\\n' $i; sleep 0.003; done\"}\n", last)
			}
			b.WriteString("next\n")
		}
		pieces("text", 20+random.IntN(400))
		b.WriteString("next\n")
	}
	return b.String()
}

// A disturbance is a network that fails for some time.
type disturbance struct {
	name  string
	begin func(l *natstest.Link)
}

// disturbances returns the kinds of disturbances.
func disturbances(t *testing.T, random *rand.Rand) []disturbance {
	delay := time.Duration(1+random.IntN(50)) * time.Millisecond
	return []disturbance{
		{"break", (*natstest.Link).Break},
		{"refuse", (*natstest.Link).Refuse},
		{"stall up", func(l *natstest.Link) { l.Stall(natstest.Up) }},
		{"stall down", func(l *natstest.Link) { l.Stall(natstest.Down) }},
		{"stall both", func(l *natstest.Link) { l.Stall(natstest.Up); l.Stall(natstest.Down) }},
		{"stall and break", func(l *natstest.Link) {
			l.Stall(natstest.Up)
			l.Stall(natstest.Down)
			elapse(t, 50*time.Millisecond)
			l.Break()
		}},
		{fmt.Sprint("delay ", delay), func(l *natstest.Link) { l.Delay(delay) }},
	}
}

// elapse waits: a network is disturbed for a time.
func elapse(t *testing.T, d time.Duration) {
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}

// disturb disturbs networks at random for a time.
func disturb(t *testing.T, random *rand.Rand, duration time.Duration, links ...*natstest.Link) {
	for begun := time.Now(); time.Since(begun) < duration && !t.Failed(); {
		l := links[random.IntN(len(links))]
		kinds := disturbances(t, random)
		kind := kinds[random.IntN(len(kinds))]
		length := time.Duration(random.Int64N(int64(cutSilence) / 2))
		if random.IntN(3) == 0 {
			length = cutSilence + time.Duration(random.Int64N(int64(cutSilence)))
		}
		t.Logf("after %v: %s for %v", time.Since(begun).Round(time.Millisecond), kind.name, length)
		kind.begin(l)
		elapse(t, length)
		l.Resume()
		elapse(t, time.Duration(random.Int64N(int64(cutSilence))))
	}
}

// TestTunnelCut: clients follow two sessions of host B through host A, whose connection to the server is cut at random. What they
// are sent satisfies F1 to F5 of the native protocol (docs/native.md).
func TestTunnelCut(t *testing.T) {
	t.Parallel()
	seed, duration := cutSettings(t)
	for name, both := range map[string]bool{"A": false, "A and B": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("repeat with: %s=%v %s=%d go test -count=1 -run 'TestTunnelCut/%s' ./e2e/hosts", durationEnv, duration, seedEnv, seed, name)
				}
			})
			newCut(t, seed, both).run(duration)
		})
	}
}
