package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/stream"
)

// headerLog is the number of the last entry of the task's log that the sender knew.
const headerLog = "Parley-Log"

// Visibility implements batch.Queues.
func (s *Store) Visibility() time.Duration { return s.visibility }

// Enqueue implements batch.Queues. A message expects to be the first one of its subject, so one that is there stays
// as it is. The consumers are made afterwards: what removes one that is idle looks for messages afterwards, too.
func (s *Store) Enqueue(ctx context.Context, refs []batch.Ref) error {
	c, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	changed := map[lane]bool{}
	messages := make([]*stream.Message, len(refs))
	for i, r := range refs {
		if !token.Get().MatchString(r.Queue) || !token.Get().MatchString(r.Batch) || !token.Get().MatchString(r.Task) {
			return fmt.Errorf("%+v is no task of a queue", r)
		}
		changed[lane{r.Queue, r.Batch}] = true
		log := c.link.Namespace.TaskLog(r.Batch, string(batch.TaskLog), r.Task)
		messages[i] = &stream.Message{
			Subject: c.link.Namespace.QueuedTask(r.Queue, r.Batch, r.Task),
			Header:  map[string]string{headerVersion: strconv.Itoa(entryVersion), headerLog: strconv.FormatUint(s.memory.number(log), 10)},
		}
	}
	for len(messages) > 0 {
		n := min(inFlight, len(messages))
		if err := s.enqueue(c, messages[:n]); err != nil {
			return fmt.Errorf("queue tasks: %w", s.asClosed(err))
		}
		messages = messages[n:]
	}
	for l := range changed {
		if err := s.createLane(c, l); err != nil {
			return fmt.Errorf("queue tasks: %w", s.asClosed(err))
		}
	}
	return nil
}

// enqueue publishes messages until all are there.
func (s *Store) enqueue(c *call, messages []*stream.Message) error {
	for pause := (stream.Backoff{}); ; {
		var left []*stream.Message
		for i, err := range publishFirst(c, messages) {
			if _, refused := errors.AsType[*stream.RefusedError](err); refused {
				return err
			}
			if err != nil && !errors.Is(err, stream.ErrSequence) {
				left = append(left, messages[i])
			}
		}
		if messages = left; len(messages) == 0 {
			return nil
		}
		if err := pause.Wait(c, stream.MaxPause); err != nil {
			return err
		}
	}
}

// createLane creates the consumer of a lane, unless it is there.
func (s *Store) createLane(c *call, l lane) error {
	err := retry(c, func(ctx context.Context) error {
		return c.link.CreateConsumer(ctx, l.consumer(c.link.Namespace, s.visibility))
	})
	s.lanes.wake(l, 0)
	return err
}

// deleteLane deletes the consumer of a lane that has no tasks. If one was queued meanwhile it is made again.
func (s *Store) deleteLane(c *call, l lane) error {
	consumer := l.consumer(c.link.Namespace, s.visibility)
	if idle, err := c.link.Idle(c, consumer); !idle || err != nil {
		if errors.Is(err, stream.ErrNoConsumer) {
			err = nil
		}
		return err
	}
	if err := c.link.DeleteConsumer(c, consumer); err != nil {
		return err
	}
	s.lanes.remove(l)
	var last *stream.Message
	err := retry(c, func(ctx context.Context) (err error) {
		last, err = stream.LastOnce(ctx, c.link, consumer.Filter)
		return err
	})
	if err == nil && last.Seq > 0 {
		err = s.createLane(c, l)
	}
	return err
}

// retry calls work until it succeeds or the call ends.
func retry(c *call, work func(ctx context.Context) error) error {
	for pause := (stream.Backoff{}); ; {
		ctx, cancel := context.WithTimeout(c, stream.AnswerTimeout)
		err := work(ctx)
		cancel()
		if _, denied := errors.AsType[*stream.PermissionError](err); err == nil || denied || errors.Is(err, stream.ErrNoStream) {
			return err
		}
		if c.Err() != nil {
			return c.Err()
		}
		if waitErr := pause.Wait(c, stream.MaxPause); waitErr != nil {
			return errors.Join(waitErr, err)
		}
	}
}

// Pull implements batch.Queues.
func (s *Store) Pull(ctx context.Context, queues []string) (batch.Delivery, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer c.end()
	d, err := s.pull(c, queues)
	switch {
	case err == nil:
		return d, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, s.asClosed(err)
}

func (s *Store) pull(c *call, queues []string) (*delivery, error) {
	if d, err := s.poll(c, queues); d != nil || err != nil {
		return d, err
	}
	for _, queue := range queues { // while it waits: a call that finds a task at once needs no notification
		unsubscribe, err := c.link.Subscribe(c.link.Namespace.Queue(queue), func(m *stream.Message) {
			if parts := strings.Split(m.Subject, "."); len(parts) == 5 { // NS.t.QUEUE.BATCH.TASK
				s.lanes.wake(lane{parts[2], parts[3]}, 0)
			}
		})
		if err != nil {
			return nil, err
		}
		defer unsubscribe()
	}
	for {
		changed := s.lanes.notification() // first, or one could slip through
		d, err := s.poll(c, queues)
		if d != nil || err != nil {
			return d, err
		}
		timer := time.NewTimer(s.lanes.delay(queues))
		select {
		case <-changed:
		case <-timer.C:
		case <-c.Done():
			err = c.Err()
		}
		timer.Stop()
		if err != nil {
			return nil, err
		}
	}
}

// poll returns the next task of the lanes that are due; nil: there is none.
func (s *Store) poll(c *call, queues []string) (*delivery, error) {
	select {
	case s.lanes.poll <- struct{}{}:
	case <-c.Done():
		return nil, c.Err()
	}
	defer func() { <-s.lanes.poll }()
	if s.lanes.stale() {
		ctx, cancel := context.WithTimeout(c, stream.AnswerTimeout)
		defer cancel()
		names, err := c.link.ConsumerNames(ctx, c.link.Namespace.Queue("*"))
		switch {
		case c.Err() != nil:
			return nil, c.Err()
		case err == nil: // else it is read again later
			s.lanes.replace(names)
		}
	}
	for {
		l, ok := s.lanes.next(queues)
		if !ok {
			return nil, c.Err()
		}
		d, err := s.take(c, l)
		if d != nil || err != nil {
			return d, err
		}
	}
}

// take returns the next task of a lane; nil: none is due, or the server does not answer. A request that was sent is
// awaited even if the call ends: a task whose delivery is not received would be lost for Visibility.
func (s *Store) take(c *call, l lane) (*delivery, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c), stream.AnswerTimeout)
	defer cancel()
	sent := time.Now()
	m, err := c.link.Next(ctx, l.consumer(c.link.Namespace, s.visibility))
	switch {
	case errors.Is(err, stream.ErrNoConsumer):
		s.lanes.remove(l)
		return nil, nil
	case err != nil:
		if s.lanes.emptied(l) && errors.Is(err, stream.ErrNoMessage) {
			_ = s.deleteLane(c, l) // another poll tries it again
		}
		return nil, c.Err()
	}
	s.lanes.serve(l)
	return s.newDelivery(c, l, m, sent)
}
