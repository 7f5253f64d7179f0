package storemetric

import (
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/metric"
	"parley.dev/parley/internal/stream"
)

// TestStore: what a store reports is on the page of a process that is not connected, and what the servers alone know is not.
func TestStore(t *testing.T) {
	m := cluster.New(cluster.Options{})
	store := jetstream.New(m)
	defer func() { _ = store.Close() }()
	s := New(m, store)
	for o, records := range map[stream.Outcome]bool{
		stream.Acked: true, stream.Retried: true, stream.Resolved: false, stream.Taken: true, stream.Refused: true, stream.Unknown: true,
	} {
		s.FrameSubmitted(records, o, time.Millisecond)
	}
	s.SessionClaimed(jetstream.ClaimGone)
	s.SessionClaimed("of another version")
	s.SessionLost()
	var p metric.Page
	s.Write(t.Context(), &p)
	var b strings.Builder
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{
		`parley_store_append_seconds_count{outcome="ack"} 1`:      true,
		`parley_store_append_seconds_count{outcome="retry"} 1`:    true,
		`parley_store_append_seconds_count{outcome="resolved"} 0`: true,
		`parley_store_append_seconds_count{outcome="lost"} 1`:     true,
		`parley_store_append_seconds_count{outcome="refused"} 1`:  true,
		`outcome="unknown"`:                             false,
		"parley_store_frames_total 3":                   true,
		"parley_store_connected 0":                      true,
		`parley_lease_claims_total{reason="gone"} 1`:    true,
		`parley_lease_claims_total{reason="unknown"} 0`: true,
		"another version":                               false,
		"parley_lease_lost_total 1":                     true,
		"parley_host_renew_seconds_count 0":             true,
		"parley_tunnels 0":                              true,
		"parley_store_bytes":                            false,
		"parley_clock_skew_seconds":                     false,
		"parley_index_lag":                              false,
	} {
		if strings.Contains(b.String(), line) != want {
			t.Errorf("%q is on the page: %v, want %v\n%s", line, !want, want, &b)
		}
	}
}
