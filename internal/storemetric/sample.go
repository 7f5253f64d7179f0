package storemetric

import (
	"context"
	"time"

	"parley.dev/parley/internal/stream"
)

const (
	// sampleAge is how long a sample is used: several scrapers cost the servers not more than one.
	sampleAge = 5 * time.Second
	// sampleWait is how long a page waits for a sample.
	sampleWait = 2 * time.Second
)

// A sample is what has to be requested from the servers.
type sample struct {
	described bool // bytes and skew are known
	bytes     uint64
	skew      time.Duration
	indexed   bool // lag is known
	lag       uint64
}

// sample returns the last sample, or a new one if the servers answer in time.
func (s *Store) sample(ctx context.Context) sample {
	s.mu.Lock()
	if s.sampling == nil && time.Since(s.begun) > sampleAge {
		s.sampling, s.begun = make(chan struct{}), time.Now()
		go s.takeSample(s.sampling)
	}
	sampling := s.sampling
	s.mu.Unlock()
	if sampling != nil {
		timer := time.NewTimer(sampleWait)
		defer timer.Stop()
		select {
		case <-sampling:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// takeSample requests a sample and closes done. What the servers do not answer remains as it was.
func (s *Store) takeSample(done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), stream.AnswerTimeout)
	defer cancel()
	s.mu.Lock()
	next := s.last
	s.mu.Unlock()
	if monitor, namespace := s.monitor(); monitor != nil {
		if info, err := monitor.Info(ctx, namespace); err == nil {
			next.described, next.bytes, next.skew = true, info.Bytes, info.Skew()
		}
		if lag, err := s.store.IndexLag(ctx); err == nil {
			next.indexed, next.lag = true, lag
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.sampling = next, nil
	close(done)
}
