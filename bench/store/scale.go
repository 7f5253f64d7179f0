package store

import (
	"fmt"
	"strings"
	"time"
)

// The constants of the calculation that a simulation does not measure.
const (
	recordBytes     = 2000 // of a frame
	renewalInterval = 5 * time.Second
	shardFrames     = 2000 // that one shard is planned for, a second
)

// Markdown returns what was measured, and what follows from it for more hosts.
func (m Scale) Markdown() string {
	var b strings.Builder
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row("measured", fmt.Sprintf("%d hosts, %d sessions each", m.Hosts, m.Sessions))
	row("---", "---")
	row("all hosts are members after", shortTime(m.Join))
	row("renewals of keys", fmt.Sprintf("%.1f/s", m.Renewals))
	row("frames", fmt.Sprintf("%.1f/s", m.Frames))
	row("append p50, p99", shortTime(quantile(m.Append, 0.5))+", "+shortTime(quantile(m.Append, 0.99)))
	row("list of hosts", shortTime(m.Hosted))
	row("index of a new host", fmt.Sprintf("%s, %.0f B an entry", shortTime(m.Index), m.IndexBytes))
	if m.Memory > 0 {
		row("memory of a server", fmt.Sprintf("%.0f MiB, of which %.0f KiB for each host when it joined", m.Memory/(1<<20), m.ConnectionMemory/(1<<10)))
	}
	b.WriteString("\n")
	sizes := []int{100, 1000, 10_000}
	head, rule := []string{"calculated, 100 sessions a host"}, []string{"---"}
	for _, n := range sizes {
		head, rule = append(head, fmt.Sprintf("%d hosts", n)), append(rule, "---")
	}
	row(head...)
	row(rule...)
	frames := func(hosts int) float64 { return float64(hosts) * 100 * runningPart / turnInterval.Seconds() }
	for _, line := range []struct {
		name string
		of   func(hosts int) string
	}{
		{"renewals (one each 5 s)", func(n int) string { return fmt.Sprintf("%.0f/s", float64(n)/renewalInterval.Seconds()) }},
		{"frames (2 % of the sessions, one each 2 s)", func(n int) string { return fmt.Sprintf("%.0f/s", frames(n)) }},
		{"bytes (2 kB a frame)", func(n int) string { return fmt.Sprintf("%.1f MB/s", frames(n)*recordBytes/1e6) }},
		{"shards (2,000 frames/s each)", func(n int) string { return fmt.Sprintf("%.0f", max(1, frames(n)/shardFrames)) }},
		{"index, with the measured entry", func(n int) string { return fmt.Sprintf("%.1f MB", float64(n)*100*m.IndexBytes/1e6) }},
		{"memory for connections, with the measured one", func(n int) string { return fmt.Sprintf("%.0f MiB", float64(n)*m.ConnectionMemory/(1<<20)) }},
	} {
		cells := []string{line.name}
		for _, n := range sizes {
			cells = append(cells, line.of(n))
		}
		row(cells...)
	}
	return b.String()
}

func shortTime(d time.Duration) string {
	if d >= time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}
