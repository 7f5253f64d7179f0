package local

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"parley.dev/parley/internal/batch"
)

// Visibility implements batch.Queues.
func (s *Store) Visibility() time.Duration { return s.visibility }

// Enqueue implements batch.Queues.
func (s *Store) Enqueue(ctx context.Context, refs []batch.Ref) error {
	err := s.write(ctx, s.synced, func(tx *sql.Tx) error {
		for _, r := range refs {
			_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO queued (queue, batch, task, due) VALUES (?, ?, ?, 0)`, r.Queue, r.Batch, r.Task)
			if err != nil {
				return err
			}
		}
		return nil
	})
	s.wake.all()
	return err
}

// Pull implements batch.Queues.
func (s *Store) Pull(ctx context.Context, queues []string) (batch.Delivery, error) {
	poll := newPoll(s)
	for {
		woken := s.wake.next()
		if err := s.releaseOrphans(ctx); err != nil {
			return nil, err
		}
		var d *delivery
		var due time.Time
		err := s.write(ctx, s.quick, func(tx *sql.Tx) (err error) {
			d, due, err = s.deliver(ctx, tx, queues)
			return err
		})
		if err != nil {
			return nil, err
		}
		if d != nil {
			return d, nil
		}
		if err := poll.wait(ctx, woken, due); err != nil {
			return nil, err
		}
	}
}

// deliver takes the next task; nil: none can be delivered before due, which is zero if there is none at all.
func (s *Store) deliver(ctx context.Context, tx *sql.Tx, queues []string) (d *delivery, due time.Time, err error) {
	now := milliseconds(time.Now())
	next := int64(math.MaxInt64)
	var lanes []lane
	for _, queue := range queues {
		batches, err := batchesIn(ctx, tx, queue)
		if err != nil {
			return nil, due, err
		}
		for _, id := range batches {
			lanes = append(lanes, lane{queue, id})
		}
	}
	for _, l := range s.turns.order(lanes) {
		d, at, err := s.first(ctx, tx, l, now)
		if err != nil {
			return nil, due, err
		}
		if d == nil {
			next = min(next, at)
			continue
		}
		_, err = tx.ExecContext(ctx, `UPDATE queued SET due = ?, holder = ?, delivery = delivery + 1 WHERE place = ?`,
			now+s.visibility.Milliseconds(), s.holder.id, d.place)
		s.turns.served(l)
		return d, due, err
	}
	if next < math.MaxInt64 {
		due = time.UnixMilli(next)
	}
	return nil, due, nil
}

// batchesIn returns the batches that have tasks in a queue. It jumps from one to the next, however many tasks they have.
func batchesIn(ctx context.Context, tx *sql.Tx, queue string) (found []string, err error) {
	for last := ""; ; {
		err := tx.QueryRowContext(ctx, `SELECT batch FROM queued WHERE queue = ? AND batch > ? ORDER BY batch LIMIT 1`, queue, last).Scan(&last)
		if errors.Is(err, sql.ErrNoRows) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		found = append(found, last)
	}
}

// first returns the first task of a batch that is due; else when one will be.
func (s *Store) first(ctx context.Context, tx *sql.Tx, l lane, now int64) (*delivery, int64, error) {
	d := &delivery{store: s, ref: batch.Ref{Queue: l.queue, Batch: l.batch}}
	err := tx.QueryRowContext(ctx, `SELECT place, task, delivery + 1 FROM queued WHERE queue = ? AND batch = ? AND due <= ? ORDER BY place LIMIT 1`,
		l.queue, l.batch, now).Scan(&d.place, &d.ref.Task, &d.number)
	if err == nil {
		return d, 0, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return nil, 0, err
	}
	var due int64
	err = tx.QueryRowContext(ctx, `SELECT coalesce(min(due), ?) FROM queued WHERE queue = ? AND batch = ?`, int64(math.MaxInt64), l.queue, l.batch).Scan(&due)
	return nil, due, err
}

// A lane is the tasks of one batch in one queue.
type lane struct{ queue, batch string }

// turns are which batches were served when.
type turns struct {
	mu    sync.Mutex
	count int
	last  map[lane]int
}

// order returns the lanes, the one that was served the longest time ago first.
func (t *turns) order(lanes []lane) []lane {
	t.mu.Lock()
	defer t.mu.Unlock()
	for l := range t.last { // those that are empty need not be known
		if !slices.Contains(lanes, l) {
			delete(t.last, l)
		}
	}
	slices.SortStableFunc(lanes, func(a, b lane) int { return t.last[a] - t.last[b] })
	return lanes
}

func (t *turns) served(l lane) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[lane]int{}
	}
	t.count++
	t.last[l] = t.count
}

// A delivery is a task that was pulled.
type delivery struct {
	store  *Store
	ref    batch.Ref
	place  int64
	number int // of this delivery of the task
}

// Ref implements batch.Delivery.
func (d *delivery) Ref() batch.Ref { return d.ref }

// Extend implements batch.Delivery.
func (d *delivery) Extend(ctx context.Context) error {
	return d.change(ctx, `UPDATE queued SET due = ? WHERE place = ? AND delivery = ?`, dueAfter(d.store.visibility), d.place, d.number)
}

// Ack implements batch.Delivery. It also removes a task that was delivered to another receiver since: what is acknowledged is finished.
func (d *delivery) Ack(ctx context.Context) error {
	return d.change(ctx, `DELETE FROM queued WHERE place = ?`, d.place)
}

// Nak implements batch.Delivery.
func (d *delivery) Nak(ctx context.Context, delay time.Duration) error {
	return d.change(ctx, `UPDATE queued SET due = ?, holder = '' WHERE place = ? AND delivery = ?`, dueAfter(delay), d.place, d.number)
}

// dueAfter returns the time after a delay, in milliseconds: the next whole one, so that the delay is never shorter.
func dueAfter(delay time.Duration) int64 {
	return milliseconds(time.Now().Add(delay + time.Millisecond - time.Nanosecond))
}

func (d *delivery) change(ctx context.Context, statement string, args ...any) error {
	err := d.store.write(ctx, d.store.quick, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, args...)
		return err
	})
	d.store.wake.all()
	return err
}
