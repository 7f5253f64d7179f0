package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/batch/worker"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/host/web"
	"parley.dev/parley/internal/metric"
)

// status is the state of a worker, which --listen serves.
type status struct {
	app    *app.App
	meter  batch.QueueMeter // nil: the store reports no lengths
	queues []string
	slots  int

	running  atomic.Int64
	attempts map[worker.AttemptOutcome]*atomic.Int64 // the map does not change

	mu       sync.Mutex // guards the rest
	counted  time.Time
	backlogs map[string]batch.Backlog // by queue
}

var _ worker.Observer = (*status)(nil)

func newStatus(a *app.App, store batch.Store, f workerFlags) *status {
	s := &status{app: a, queues: f.queues, slots: f.slots, attempts: map[worker.AttemptOutcome]*atomic.Int64{}}
	s.meter, _ = store.(batch.QueueMeter)
	for _, o := range worker.AttemptOutcomes() {
		s.attempts[o] = &atomic.Int64{}
	}
	return s
}

// AttemptBegun implements worker.Observer.
func (s *status) AttemptBegun() { s.running.Add(1) }

// AttemptEnded implements worker.Observer.
func (s *status) AttemptEnded(o worker.AttemptOutcome) {
	s.running.Add(-1)
	if c := s.attempts[o]; c != nil {
		c.Add(1)
	}
}

// serve serves the state at an address until close is called. url is where.
func (s *status) serve(addr string) (url string, stop func(), err error) {
	l, err := web.Listen(addr, false)
	if err != nil {
		return "", nil, err
	}
	server := web.NewStatus(web.StatusOptions{Version: cli.Version, Ready: s.app.Ready, Metrics: s.write, Log: s.app.Log})
	if err := server.Serve(l); err != nil {
		return "", nil, err
	}
	return web.URL(l, false), func() { _ = server.Close() }, nil // of listeners: they are gone in any case
}

// write adds the metrics of the worker to a page.
func (s *status) write(ctx context.Context, p *metric.Page) {
	p.Gauge("parley_worker_slots", float64(s.slots))
	p.Gauge("parley_worker_slots_busy", float64(s.running.Load()))
	for _, o := range worker.AttemptOutcomes() {
		p.Counter("parley_batch_attempts_total", s.attempts[o].Load(), "outcome", string(o))
	}
	found := s.measure(ctx)
	for _, queue := range s.queues {
		if b, ok := found[queue]; ok {
			p.Gauge("parley_batch_tasks", float64(b.Queued), "queue", queue, "state", string(batch.Queued))
			p.Gauge("parley_batch_tasks", float64(b.Running), "queue", queue, "state", string(batch.Running))
		}
	}
	s.app.WriteMetrics(ctx, p)
}

const (
	// measureAge is how long the lengths of queues are used, and measureLimit how long they may take.
	measureAge   = 5 * time.Second
	measureLimit = 2 * time.Second
)

// measure returns the lengths of the queues, as far as they are known.
func (s *status) measure(ctx context.Context) map[string]batch.Backlog {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.meter == nil || time.Since(s.counted) < measureAge {
		return s.backlogs
	}
	ctx, cancel := context.WithTimeout(ctx, measureLimit)
	defer cancel()
	found := map[string]batch.Backlog{}
	for _, queue := range s.queues {
		b, err := s.meter.Backlog(ctx, queue)
		if err != nil {
			break // the next page tries again
		}
		found[queue] = b
	}
	s.counted, s.backlogs = time.Now(), found
	return found
}
