package streamtest

import (
	"context"
	"strconv"
	"time"

	"parley.dev/parley/internal/stream"
)

// A consumer is a consumer of a queue.
type consumer struct {
	stream.Consumer
	last    uint64               // the last message that was delivered the first time
	pending map[uint64]time.Time // when a message is due that was delivered
}

// PublishFirst implements stream.WorkQueues.
func (s *Server) PublishFirst(ctx context.Context, messages []*stream.Message) []error {
	errs := make([]error, len(messages))
	for i, m := range messages {
		_, errs[i] = s.Publish(ctx, m, 0)
	}
	return errs
}

// call simulates that a request or its answer is lost or delayed.
func (s *Server) call(ctx context.Context, work func() error) error {
	if s.chance(0.03) {
		<-ctx.Done()
		return ErrLost
	}
	if err := Sleep(ctx, s.between(0, 3*time.Millisecond)); err != nil {
		return err
	}
	s.mu.Lock()
	err := work()
	s.mu.Unlock()
	if s.chance(0.05) {
		_ = Sleep(ctx, s.between(0, stream.AnswerTimeout))
		return ErrLost
	}
	return err
}

// CreateConsumer implements stream.WorkQueues.
func (s *Server) CreateConsumer(ctx context.Context, c stream.Consumer) error {
	return s.call(ctx, func() error {
		if s.consumers[c.Name] == nil {
			s.consumers[c.Name] = &consumer{Consumer: c, pending: map[uint64]time.Time{}}
		}
		return nil
	})
}

// ConsumerNames implements stream.WorkQueues.
func (s *Server) ConsumerNames(ctx context.Context, _ string) (names []string, err error) {
	err = s.call(ctx, func() error {
		for name := range s.consumers {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// DeleteConsumer implements stream.WorkQueues.
func (s *Server) DeleteConsumer(ctx context.Context, c stream.Consumer) error {
	return s.call(ctx, func() error {
		delete(s.consumers, c.Name)
		return nil
	})
}

// Idle implements stream.WorkQueues.
func (s *Server) Idle(ctx context.Context, c stream.Consumer) (idle bool, err error) {
	err = s.call(ctx, func() error {
		if s.consumers[c.Name] == nil {
			return stream.ErrNoConsumer
		}
		idle = s.lastLocked(c.Filter, s.seq) == nil
		return nil
	})
	return idle, err
}

// Next implements stream.WorkQueues. If the answer is lost the message is delivered to no caller.
func (s *Server) Next(ctx context.Context, c stream.Consumer) (m *stream.QueueMessage, err error) {
	err = s.call(ctx, func() error {
		found := s.consumers[c.Name]
		if found == nil {
			return stream.ErrNoConsumer
		}
		m = found.next(s.messages)
		if m == nil {
			return stream.ErrNoMessage
		}
		return nil
	})
	return m, err
}

// next returns the message that is due again, or the next one; nil: none.
func (c *consumer) next(messages []*stream.Message) *stream.QueueMessage {
	var first *stream.Message
	for _, m := range messages {
		if m == nil || !matches(c.Filter, m.Subject) {
			continue
		}
		due, delivered := c.pending[m.Seq]
		if delivered && !time.Now().Before(due) {
			first = m
			break
		}
		if first == nil && !delivered && m.Seq > c.last {
			first = m
		}
	}
	if first == nil {
		return nil
	}
	c.last = max(c.last, first.Seq)
	c.pending[first.Seq] = time.Now().Add(c.Wait)
	return &stream.QueueMessage{Message: first, Reply: c.Name + " " + strconv.FormatUint(first.Seq, 10)}
}

// Answer implements stream.WorkQueues.
func (s *Server) Answer(ctx context.Context, m *stream.QueueMessage, a stream.Answer) error {
	return s.call(ctx, func() error {
		for _, c := range s.consumers {
			if _, delivered := c.pending[m.Seq]; !delivered || !matches(c.Filter, m.Subject) {
				continue
			}
			switch a.Kind {
			case stream.Ack:
				delete(c.pending, m.Seq)
				s.removeLocked(m.Seq)
			case stream.Nak:
				c.pending[m.Seq] = time.Now().Add(a.Delay)
			case stream.Progress:
				c.pending[m.Seq] = time.Now().Add(c.Wait)
			}
		}
		return nil
	})
}

// removeLocked removes a message that was acknowledged.
func (s *Server) removeLocked(seq uint64) {
	for i, m := range s.messages {
		if m != nil && m.Seq == seq {
			s.messages[i] = nil
		}
	}
}

var (
	_ stream.WorkQueues = (*Server)(nil)
	_ stream.WorkQueues = (*Host)(nil)
)
