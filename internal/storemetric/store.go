package storemetric

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/boottime"
	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/metric"
	"parley.dev/parley/internal/stream"
)

// A Store has the metrics of a store.
type Store struct {
	member *cluster.Member
	store  *jetstream.Store

	appends  map[stream.Outcome]*metric.Histogram // of outcomes; the map does not change
	claims   map[jetstream.ClaimReason]*atomic.Int64
	frames   atomic.Int64
	lost     atomic.Int64
	renewals metric.Histogram

	mu       sync.Mutex    // guards the rest
	sampling chan struct{} // closed when the sample that is taken now is there; nil: none is
	last     sample
	begun    time.Time // when the last sample was begun
}

// outcomes are the outcomes of submissions that are counted: one whose outcome remains unknown ends with its store.
var outcomes = []stream.Outcome{stream.Acked, stream.Retried, stream.Resolved, stream.Taken, stream.Refused}

var _ jetstream.Observer = (*Store)(nil)

// New returns the metrics of a store and of its member, which must not be used yet.
func New(member *cluster.Member, store *jetstream.Store) *Store {
	s := &Store{
		member: member, store: store, appends: map[stream.Outcome]*metric.Histogram{}, claims: map[jetstream.ClaimReason]*atomic.Int64{},
	}
	for _, o := range outcomes {
		s.appends[o] = &metric.Histogram{}
	}
	for _, r := range jetstream.ClaimReasons {
		s.claims[r] = &atomic.Int64{}
	}
	store.Observe(s)
	member.OnRenewal(func(sent time.Duration) { s.renewals.Observe(boottime.Now() - sent) })
	return s
}

// FrameSubmitted implements jetstream.Observer.
func (s *Store) FrameSubmitted(records bool, o stream.Outcome, took time.Duration) {
	switch o {
	case stream.Acked, stream.Retried, stream.Resolved:
		s.frames.Add(1)
	}
	if h := s.appends[o]; h != nil && records {
		h.Observe(took)
	}
}

// SessionClaimed implements jetstream.Observer.
func (s *Store) SessionClaimed(r jetstream.ClaimReason) {
	if c := s.claims[r]; c != nil {
		c.Add(1)
	}
}

// SessionLost implements jetstream.Observer.
func (s *Store) SessionLost() { s.lost.Add(1) }

// Write adds the metrics to a page.
func (s *Store) Write(ctx context.Context, p *metric.Page) {
	for _, o := range outcomes {
		p.Histogram("parley_store_append_seconds", s.appends[o], "outcome", string(o))
	}
	p.Counter("parley_store_frames_total", s.frames.Load())
	p.Gauge("parley_store_connected", s.connected())
	for _, r := range jetstream.ClaimReasons {
		p.Counter("parley_lease_claims_total", s.claims[r].Load(), "reason", string(r))
	}
	p.Counter("parley_lease_lost_total", s.lost.Load())
	p.Histogram("parley_host_renew_seconds", &s.renewals)
	p.Gauge("parley_tunnels", float64(s.member.Tunnels()))
	now := s.sample(ctx)
	if now.described {
		p.Gauge("parley_store_bytes", float64(now.bytes))
		p.Gauge("parley_clock_skew_seconds", now.skew.Seconds())
	}
	if now.indexed {
		p.Gauge("parley_index_lag", float64(now.lag))
	}
}

// connected returns 1 if there is a connection now, else 0.
func (s *Store) connected() float64 {
	if m, _ := s.monitor(); m != nil && m.Connected() {
		return 1
	}
	return 0
}

// monitor returns what reports the state of the servers, and the namespace; nil: the member is not connected.
func (s *Store) monitor() (m stream.Monitor, namespace string) {
	l := s.member.Current()
	if l == nil {
		return nil, ""
	}
	m, _ = l.Server.(stream.Monitor)
	return m, l.Namespace.Name
}
