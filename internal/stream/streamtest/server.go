// Package streamtest simulates the servers of a namespace, for tests in simulated time (testing/synctest).
package streamtest

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/stream"
)

// A Server is a server in memory that fails in all ways in which one can: it loses requests and answers,
// delays them, answers from the past, and refuses with stream.ErrNotApplied.
type Server struct {
	life context.Context // until Stop
	stop context.CancelFunc

	mu        sync.Mutex // guards the rest
	random    *rand.Rand
	seq       uint64
	messages  []*stream.Message    // in order; purged ones are nil
	answers   map[string]responder // by control subject
	consumers map[string]*consumer
	feed      Feed
	faults    bool
	rollbacks uint64
}

// A responder is what answers the requests to a host.
type responder struct {
	host   *Host
	answer func([]byte) []byte
}

// Namespace is the namespace that the server has.
var Namespace = stream.Namespace{Name: "n", Shards: 1}

// ErrLost is the error of a call whose answer is lost.
var ErrLost = errors.New("the answer is lost")

// New returns a server whose delays and faults follow from seed.
func New(seed uint64, faults bool) *Server {
	s := &Server{random: rand.New(rand.NewPCG(seed, 0)), answers: map[string]responder{}, consumers: map[string]*consumer{}, faults: faults}
	s.life, s.stop = context.WithCancel(context.Background())
	return s
}

// Stop ends what the server does later.
func (s *Server) Stop() { s.stop() }

// Heal ends the faults.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = false
}

// Rollback replaces what the server has by what it had at a sequence, as when it is restored from a copy. The
// sequences after it are given again. The connections are interrupted.
func (s *Server) Rollback(to uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = slices.DeleteFunc(s.messages, func(m *stream.Message) bool { return m == nil || m.Seq > to })
	s.seq = to
	s.rollbacks++
}

// Skip makes the next message get a sequence after another one.
func (s *Server) Skip(to uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq = max(s.seq, to)
}

// Interruptions returns how often Rollback was called.
func (s *Server) Interruptions() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rollbacks
}

// Messages returns the messages of a subject that are stored, in order.
func (s *Server) Messages(subject string) (all []*stream.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		if m != nil && matches(subject, m.Subject) {
			all = append(all, m)
		}
	}
	return all
}

// chance reports true with the probability p, if there are faults.
func (s *Server) chance(p float64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults && s.random.Float64() < p
}

// between returns a random duration.
func (s *Server) between(low, high time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return low + time.Duration(s.random.Int64N(int64(high-low)+1))
}

// Clock returns a clock of simulated time.
func Clock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// Sleep waits in simulated time.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// later runs work after some simulated time, unless the simulation ends before.
func (s *Server) later(d time.Duration, work func()) {
	go func() {
		if Sleep(s.life, d) == nil {
			work()
		}
	}()
}

// lastLocked returns the last message of a subject that was stored up to a sequence.
func (s *Server) lastLocked(subject string, to uint64) *stream.Message {
	for _, m := range slices.Backward(s.messages) {
		if m != nil && m.Seq <= to && matches(subject, m.Subject) {
			return m
		}
	}
	return nil
}

// matches reports whether a subject is that of a filter, in which * is any token and > at the end is the rest.
func matches(filter, subject string) bool {
	for filter != "" && subject != "" {
		want, filterRest, _ := strings.Cut(filter, ".")
		found, rest, _ := strings.Cut(subject, ".")
		switch want {
		case ">":
			return true
		case "*", found:
		default:
			return false
		}
		filter, subject = filterRest, rest
	}
	return filter == subject
}

// store stores a message if the sequence is the expected one.
func (s *Server) store(m *stream.Message, after uint64) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found uint64
	if last := s.lastLocked(m.Subject, s.seq); last != nil {
		found = last.Seq
	}
	if after != stream.AnySequence && found != after {
		return 0, stream.ErrSequence
	}
	s.seq++
	stored := *m
	stored.Seq, stored.Time, stored.Header, stored.Data = s.seq, time.Now(), maps.Clone(m.Header), slices.Clone(m.Data)
	s.messages = append(s.messages, &stored)
	if m.TTL > 0 {
		s.later(m.TTL, func() { s.expire(&stored) })
	}
	return s.seq, nil
}

// expire removes a message at the end of its TTL.
func (s *Server) expire(m *stream.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.messages, m); i >= 0 {
		s.messages[i] = nil
	}
}

func (s *Server) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	delay := s.between(0, 3*time.Millisecond)
	switch {
	case s.chance(0.03): // it is lost
		<-ctx.Done()
		return 0, ErrLost
	case s.chance(0.03): // it is in a buffer, and stored later or not at all
		s.later(s.between(0, 20*time.Second), func() { _, _ = s.store(m, after) })
		<-ctx.Done()
		return 0, ErrLost
	case s.chance(0.05):
		return 0, stream.ErrNotApplied
	case s.chance(0.03):
		delay = s.between(0, 4*time.Second)
	}
	if err := Sleep(ctx, delay); err != nil {
		return 0, err
	}
	seq, err := s.store(m, after)
	if s.chance(0.05) { // the answer is lost
		_ = Sleep(ctx, s.between(0, stream.AnswerTimeout))
		return 0, ErrLost
	}
	return seq, err
}

func (s *Server) Last(ctx context.Context, subject string) (*stream.Message, error) {
	if s.chance(0.03) {
		<-ctx.Done()
		return nil, ErrLost
	}
	stale := s.chance(0.1)
	if err := Sleep(ctx, s.between(0, 2*time.Millisecond)); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.seq
	if stale { // the answer of a leader that was deposed
		to -= min(to, s.random.Uint64N(6))
	}
	if m := s.lastLocked(subject, to); m != nil {
		return m, nil
	}
	return nil, stream.ErrNoMessage
}

func (s *Server) Read(ctx context.Context, subject string, from, to uint64, each func(*stream.Message) error) error {
	s.mu.Lock()
	var found []*stream.Message
	for _, m := range s.messages {
		if m != nil && m.Seq >= from && m.Seq <= to && matches(subject, m.Subject) {
			found = append(found, m)
		}
	}
	s.mu.Unlock()
	if s.chance(0.1) && len(found) > 0 { // a replica has no more, yet
		found = found[:len(found)-1]
	}
	for _, m := range found {
		if err := each(m); err != nil {
			return err
		}
	}
	return Sleep(ctx, s.between(0, time.Millisecond))
}

func (s *Server) Purge(ctx context.Context, subject string, to uint64) error {
	if err := Sleep(ctx, s.between(0, 50*time.Millisecond)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range s.messages {
		if m != nil && m.Seq <= to && matches(subject, m.Subject) {
			s.messages[i] = nil
		}
	}
	return nil
}

func (s *Server) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	s.mu.Lock()
	r, ok := s.answers[subject]
	s.mu.Unlock()
	if !ok || s.chance(0.1) {
		return nil, stream.ErrNoResponder
	}
	if err := r.host.wait(ctx); err != nil {
		return nil, err
	}
	return r.answer(data), nil
}
