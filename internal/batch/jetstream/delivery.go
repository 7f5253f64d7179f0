package jetstream

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/stream"
)

// maxAcks is how often an acknowledgement is sent before the message is purged.
const maxAcks = 10

// A delivery is a task that was pulled.
type delivery struct {
	store   *Store
	link    *cluster.Link
	lane    lane
	message *stream.QueueMessage
	ref     batch.Ref

	mu  sync.Mutex
	end time.Time // when the task may be delivered to others
}

var _ batch.Delivery = (*delivery)(nil)

// newDelivery registers a delivery of which the request was sent at a time, so that Close returns it.
func (s *Store) newDelivery(c *call, l lane, m *stream.QueueMessage, sent time.Time) (*delivery, error) {
	parts := strings.Split(m.Subject, ".") // NS.t.QUEUE.BATCH.TASK
	d := &delivery{
		store: s, link: c.link, lane: l, message: m, ref: batch.Ref{Queue: parts[2], Batch: parts[3], Task: parts[4]}, end: sent.Add(s.visibility),
	}
	if number, err := strconv.ParseUint(m.Header[headerLog], 10, 64); err == nil {
		s.memory.learn(c.link.Namespace.TaskLog(d.ref.Batch, string(batch.TaskLog), d.ref.Task), number)
	}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		for other := range s.pending {
			if !other.held() {
				delete(s.pending, other)
			}
		}
		s.pending[d] = struct{}{}
	}
	s.mu.Unlock()
	if closed {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c), closeTimeout)
		defer cancel()
		_ = d.answer(ctx, stream.Answer{Kind: stream.Nak}) // else it is delivered again later
		return nil, batch.ErrClosed
	}
	return d, nil
}

// Ref implements batch.Delivery.
func (d *delivery) Ref() batch.Ref { return d.ref }

// held reports whether the task cannot have been delivered to others.
func (d *delivery) held() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Now().Before(d.end)
}

// Extend implements batch.Delivery.
func (d *delivery) Extend(ctx context.Context) error {
	c, err := d.store.begin(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	sent := time.Now()
	if err := d.answer(c, stream.Answer{Kind: stream.Progress}); err != nil {
		return d.store.asClosed(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Now().Before(d.end) {
		d.end = sent.Add(d.store.visibility)
	}
	return nil
}

// Nak implements batch.Delivery.
func (d *delivery) Nak(ctx context.Context, delay time.Duration) error {
	c, err := d.store.begin(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	if err := d.answer(c, stream.Answer{Kind: stream.Nak, Delay: delay}); err != nil {
		return d.store.asClosed(err)
	}
	d.forget()
	d.store.lanes.wake(d.lane, delay)
	return nil
}

// answer sends an answer until it has arrived, or the task may have been delivered to others: the server would take
// the answer for one of theirs.
func (d *delivery) answer(ctx context.Context, a stream.Answer) error {
	for pause := (stream.Backoff{}); d.held(); {
		once, cancel := context.WithTimeout(ctx, stream.AnswerTimeout)
		err := d.link.Answer(once, d.message, a)
		cancel()
		if err == nil {
			return nil
		}
		if err := pause.Wait(ctx, stream.MaxPause); err != nil {
			return err
		}
	}
	return nil
}

// Ack implements batch.Delivery. In a cluster an acknowledgement is confirmed before the message is removed, which
// counts: a task that is queued again needs the place. A message that stays, as after its consumer was made anew, is
// purged.
func (d *delivery) Ack(ctx context.Context) error {
	c, err := d.store.begin(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	pause := stream.Backoff{}
	for n := 0; ; n++ {
		once, cancel := context.WithTimeout(c, stream.AnswerTimeout)
		err := c.link.Answer(once, d.message, stream.Answer{Kind: stream.Ack})
		if n >= maxAcks {
			err = c.link.Purge(once, d.message.Subject, d.message.Seq)
		}
		cancel()
		found, lastErr := stream.LastOnce(c, c.link, d.message.Subject)
		if lastErr == nil && found.Seq != d.message.Seq && (err == nil || found.Seq > d.message.Seq) {
			d.forget()
			return nil
		}
		if err := pause.Wait(c, stream.MaxPause); err != nil {
			return d.store.asClosed(err)
		}
	}
}

// forget removes the delivery from those that Close returns.
func (d *delivery) forget() {
	d.store.mu.Lock()
	defer d.store.mu.Unlock()
	delete(d.store.pending, d)
}
