//go:build linux

package soak

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A bound is how much the median of a figure may grow from the first third of the readings to the last.
type bound struct {
	name string
	of   func(reading) int64
	unit int64 // of the report
	grow int64
}

var bounds = []bound{
	{"memory of the host, PSS, MiB", func(r reading) int64 { return r.host }, 1 << 20, mayGrow},
	{"memory of the host, RSS, MiB", func(r reading) int64 { return r.hostRSS }, 1 << 20, mayGrow},
	{"memory of all processes, PSS, MiB", func(r reading) int64 { return r.tree }, 1 << 20, 2 * mayGrow},
	{"goroutines of the host", func(r reading) int64 { return int64(r.goroutines) }, 1, 100},
	{"open files of the host, without journals", func(r reading) int64 { return int64(r.files) }, 1, 2 * mayGrowFiles},
	{"open journals of the host", func(r reading) int64 { return int64(r.journals) }, 1, mayGrowJournals},
	{"files of queues for slow clients", func(r reading) int64 { return int64(r.spools) }, 1, workers},
	{"clients", func(r reading) int64 { return int64(r.clients) }, 1, mayGrowFiles},
	{"processes", func(r reading) int64 { return int64(r.processes) }, 1, mayGrowFiles},
	{"processes that ended and were not waited for", func(r reading) int64 { return int64(r.zombies) }, 1, 2},
	{"files and folders in TMPDIR", func(r reading) int64 { return int64(r.temporary) }, 1, 50},
}

const (
	warmTurns = 2*shortRound + 2 // of each session: then a conversation has been summed up, and is as long as it gets
	// A host has the journal of a session open while a client is connected to the session. A client that has left is connected to one
	// session after the other again: how many they are moves up and down.
	mayGrowJournals = 100

	mayGrowOne = 25 // percent: how much more a turn may add to the state folder at the end
	fewest     = 9  // readings that can be compared
)

// warm returns the readings from a minute and warmTurns turns of each session on.
func warm(all []reading, sessions int) []reading {
	i := slices.IndexFunc(all, func(r reading) bool { return r.at >= time.Minute && r.turns >= warmTurns*sessions })
	if i < 0 {
		return nil
	}
	return all[i:]
}

// report prints the figures as a table, and fails if they are not flat.
func (c *crowd) report(all []reading, serious bool, sessions, clients int) {
	c.Helper()
	compared := all
	if serious {
		compared = warm(all, sessions)
	}
	third := len(compared) / 3
	if len(compared) < 3 || serious && len(compared) < fewest {
		c.Fatalf("%d turns of %d sessions in %d readings are too few: the soak must be longer", c.turns.Load(), sessions, len(all))
	}
	first, last := compared[:third], compared[len(compared)-third:]
	var text strings.Builder
	fmt.Fprintf(&text, "%d sessions, %d clients, %s, %d turns; the readings are those after %s and %d turns.\n\n", sessions, clients,
		all[len(all)-1].at.Round(time.Second), c.turns.Load(), compared[0].at.Round(time.Second), compared[0].turns)
	text.WriteString("| figure | first third | last third | slope per hour | may grow by |\n|---|---|---|---|---|\n")
	for _, b := range bounds {
		was, is := middle(first, b.of), middle(last, b.of)
		fmt.Fprintf(&text, "| %s | %d | %d | %+.1f | %d |\n", b.name, was/b.unit, is/b.unit, slope(compared, b.of)/float64(b.unit), b.grow/b.unit)
		if serious && is-was > b.grow {
			c.Errorf("%s: %d, then %d", b.name, was/b.unit, is/b.unit)
		}
	}
	was, is := perTurn(first), perTurn(last)
	fmt.Fprintf(&text, "| bytes of the state folder for a turn | %d | %d | | %d %% |\n", was, is, mayGrowOne)
	if serious && is > was+was*mayGrowOne/100 {
		c.Errorf("a turn adds %d bytes to the state folder, then %d", was, is)
	}
	for _, of := range []int{50, 99} {
		fmt.Fprintf(&text, "| time of a turn, percentile %d, ms | %d | %d | | |\n", of,
			c.percentile(of, first[0].at, first[third-1].at).Milliseconds(), c.percentile(of, last[0].at, last[third-1].at).Milliseconds())
	}
	text.WriteString("\n| what happened | times |\n|---|---|\n")
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		fmt.Fprintf(&text, "| %s | %d |\n", what, c.counts[what])
	}
	c.Log("\n" + text.String())
	if !serious {
		return
	}
	fmt.Fprint(os.Stderr, c.Name(), ": ", text.String())
	if folder := os.Getenv("PARLEY_ARTIFACTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, "soak.md"), []byte(text.String()), 0o600); err != nil {
			c.Error(err)
		}
	}
}

// middle returns the median of a figure.
func middle(of []reading, figure func(reading) int64) int64 {
	all := make([]int64, len(of))
	for i, r := range of {
		all[i] = figure(r)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// slope returns how much a figure grows in an hour, by the line that fits it best.
func slope(all []reading, figure func(reading) int64) float64 {
	var x, y, xx, xy float64
	for _, r := range all {
		h, v := r.at.Hours(), float64(figure(r))
		x, y, xx, xy = x+h, y+v, xx+h*h, xy+h*v
	}
	n := float64(len(all))
	return (n*xy - x*y) / cmp.Or(n*xx-x*x, 1)
}

// perTurn returns how many bytes a turn adds to the state folder.
func perTurn(of []reading) int64 {
	a, b := of[0], of[len(of)-1]
	return (b.state - a.state) / int64(max(b.turns-a.turns, 1))
}
