package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/stream"
)

// Append implements batch.Logs. If the server does not answer it tries until the outcome is known, or ctx ends.
func (s *Store) Append(ctx context.Context, log batch.Log, after uint64, data []byte) (uint64, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer c.end()
	m, err := s.newMessage(c.link.Namespace, log, after, data)
	if err != nil {
		return 0, err
	}
	number, _, err := stream.Submit(c, c.link, m, stream.Predecessor{Seq: after}, isSame(m))
	if errors.Is(err, stream.ErrTaken) {
		s.memory.learn(m.Subject, after+1) // there is an entry that the caller has not read
		return 0, batch.ErrConflict
	}
	s.memory.learn(m.Subject, number)
	return number, s.asClosed(err)
}

// inFlight is how many messages are published before the first one is acknowledged.
const inFlight = 256

// Create implements batch.Logs.
func (s *Store) Create(ctx context.Context, entries []batch.Entry) ([]bool, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer c.end()
	messages := make([]*stream.Message, len(entries))
	for i, e := range entries {
		if messages[i], err = s.newMessage(c.link.Namespace, e.Log, 0, e.Data); err != nil {
			return nil, err
		}
	}
	created := make([]bool, len(entries))
	for begin := 0; begin < len(messages); begin += inFlight {
		end := min(begin+inFlight, len(messages))
		if err := s.createChunk(c, messages[begin:end], created[begin:end]); err != nil {
			return nil, s.asClosed(err)
		}
	}
	return created, nil
}

// createChunk publishes messages together, and again one by one those whose outcome is not known.
func (s *Store) createChunk(c *call, messages []*stream.Message, created []bool) error {
	for i, err := range publishFirst(c, messages) {
		if err != nil && !errors.Is(err, stream.ErrSequence) {
			_, _, err = stream.Submit(c, c.link, messages[i], stream.Predecessor{}, isSame(messages[i]))
		}
		created[i] = err == nil
		if err != nil && !errors.Is(err, stream.ErrTaken) && !errors.Is(err, stream.ErrSequence) {
			return err
		}
	}
	return nil
}

func publishFirst(c *call, messages []*stream.Message) []error {
	ctx, cancel := context.WithTimeout(c, stream.AnswerTimeout)
	defer cancel()
	return c.link.PublishFirst(ctx, messages)
}

// Last implements batch.Logs.
func (s *Store) Last(ctx context.Context, log batch.Log) (batch.Entry, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return batch.Entry{}, err
	}
	defer c.end()
	subject, err := subjectOf(c.link.Namespace, log)
	if err != nil {
		return batch.Entry{}, err
	}
	m, err := s.last(c, subject)
	if err != nil {
		return batch.Entry{}, s.asClosed(err)
	}
	if m.Seq == 0 {
		return batch.Entry{}, batch.ErrNoEntry
	}
	e, _, err := decode(m)
	return e, err
}

// Entries implements batch.Logs.
func (s *Store) Entries(ctx context.Context, log batch.Log, after uint64) iter.Seq2[batch.Entry, error] {
	return s.yieldEntries(ctx, log, after, (*reader).advance)
}

// followPoll is how long a follower waits at most before it looks again, if it was not notified.
const followPoll = time.Second

// Follow implements batch.Logs.
func (s *Store) Follow(ctx context.Context, log batch.Log, after uint64) iter.Seq2[batch.Entry, error] {
	return s.yieldEntries(ctx, log, after, (*reader).follow)
}

// yieldEntries yields the entries that read finds.
func (s *Store) yieldEntries(ctx context.Context, log batch.Log, after uint64, read func(*reader, *call, func(batch.Entry, error) bool) error) iter.Seq2[batch.Entry, error] {
	return func(yield func(batch.Entry, error) bool) {
		c, err := s.begin(ctx)
		if err != nil {
			yield(batch.Entry{}, err)
			return
		}
		defer c.end()
		r, err := s.newReader(c, log, after)
		if err == nil {
			err = read(r, c, yield)
		}
		switch {
		case err == nil, errors.Is(err, errStopped):
		case ctx.Err() != nil:
			yield(batch.Entry{}, ctx.Err())
		default:
			yield(batch.Entry{}, s.asClosed(err))
		}
	}
}

// follow yields entries until an error, which it returns. It is notified when a message is published, which may not be
// stored yet, or be refused: so it looks again after growing delays.
func (r *reader) follow(c *call, yield func(batch.Entry, error) bool) error {
	changed := make(chan struct{}, 1)
	unsubscribe, err := c.link.Subscribe(r.subject, func(*stream.Message) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return err
	}
	defer unsubscribe()
	delay := time.Millisecond
	for {
		before := r.at
		if err := r.advance(c, yield); err != nil {
			return err
		}
		if r.at != before {
			delay = time.Millisecond
		}
		select {
		case <-changed:
			delay = time.Millisecond
		case <-time.After(delay):
			delay = min(2*delay, followPoll)
		case <-c.Done():
			return c.Err()
		}
	}
}

// Batches implements batch.Logs.
func (s *Store) Batches(ctx context.Context) (list []batch.Entry, err error) {
	c, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer c.end()
	r := &reader{store: s, link: c.link, subject: c.link.Namespace.Batches(string(batch.DefinitionLog)), previous: map[string]uint64{}}
	err = r.advance(c, func(e batch.Entry, _ error) bool {
		list = append(list, e)
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("list batches: %w", s.asClosed(err))
	}
	return list, nil
}
