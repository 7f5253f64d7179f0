package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
	"parley.dev/parley/internal/stream"
)

const (
	// maxBody is the size of the lines that a frame has at most, in bytes. More are a blob.
	maxBody = 512 << 10
	// closeTimeout is how long Close waits for the store.
	closeTimeout = 10 * time.Second
	// maxIdleQueue is the size of the buffer that a lease retains between calls, in bytes.
	maxIdleQueue = 16 << 10
)

// Append adds records to the queue. The pump publishes them; meanwhile, later records wait, and form the
// next frame together.
func (l *lease) Append(expected uint64, records []event.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.checkWritable(); err != nil {
		return err
	}
	switch {
	case expected != l.end.Seq:
		return fmt.Errorf("append to session %s after record %d, its head is %d: %w", l.id, expected, l.end.Seq, journal.ErrStale)
	case len(records) == 0:
		return nil
	}
	queue, end, err := l.encode(l.queue, records)
	if err != nil {
		return fmt.Errorf("append to session %s: %w", l.id, err)
	}
	l.queue, l.end = queue, end
	for _, rec := range records {
		l.summary.Apply(rec)
		kind := rec.Event.Kind()
		l.listed(kind == event.KindTurnEnded || kind == event.KindSessionChanged)
	}
	l.kick()
	return nil
}

// listed notes that the summary has changed; soon: lists should show it before the lease is released.
func (l *lease) listed(soon bool) {
	if l.indexed = false; soon {
		l.indexSoon = true
	}
}

// encode appends the lines of records that follow l.end to lines, and returns the position after them.
func (l *lease) encode(lines []byte, records []event.Record) ([]byte, chain.Position, error) {
	end := l.end
	var err error
	for _, rec := range records {
		if lines, end, err = l.hasher.Append(lines, rec, end); err != nil {
			return nil, end, err
		}
	}
	return lines, end, nil
}

// Sync waits until all appended records are stored, and the index entry if there is one.
func (l *lease) Sync() error { return l.syncFor(0) }

// syncFor is Sync with a time limit; 0: none.
func (l *lease) syncFor(limit time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.checkWritable(); err != nil {
		return err
	}
	expired := false
	if limit > 0 {
		timer := time.AfterFunc(limit, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			expired = true
			l.progress.Broadcast()
		})
		defer timer.Stop()
	}
	target := l.end.Seq
	l.kick()
	for l.stored.Seq < target || l.pumping && (l.indexSoon || l.indexing) {
		switch {
		case l.fenced:
			return l.fencedError()
		case l.failure != nil && !l.pumping:
			return fmt.Errorf("store session %s: %w", l.id, l.failure)
		case expired:
			return fmt.Errorf("store session %s: the store does not answer; it is unknown whether the records after %d are stored", l.id, l.stored.Seq)
		}
		l.progress.Wait()
	}
	if l.fenced {
		return l.fencedError()
	}
	return nil
}

// kick starts the pump if there is work for it. The caller holds l.mu.
func (l *lease) kick() {
	if l.pumping || l.fenced || len(l.queue) == 0 && l.sending == nil && !l.indexSoon {
		return
	}
	l.failure = nil
	if l.pumping = l.store.spawn(l.pump); !l.pumping {
		l.failure = journal.ErrClosed
	}
}

// pump publishes the queue, one frame at a time, until it is empty or an attempt fails.
func (l *lease) pump() {
	ctx := l.store.life
	for l.nextFrame() {
		if err := l.sendFrame(ctx); err != nil {
			l.stopPump(l.store.asClosed(err))
			return
		}
		l.store.notify(l.id)
	}
}

// nextFrame takes the queue as the next frame, unless one that failed must be sent again. It returns false,
// and ends the pump, if there is nothing to send.
func (l *lease) nextFrame() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sending == nil && len(l.queue) > 0 {
		f := l.store.newFrame(kindAppend, l.epoch)
		f.first, f.head, f.hash, f.lines = l.stored.Seq+1, l.end.Seq, l.end.Sum, l.queue
		l.sending, l.sendEnd, l.queue = f, l.end, nil
	}
	if l.sending == nil && !l.indexSoon || l.fenced {
		l.pumping = false
		l.progress.Broadcast()
		return false
	}
	return true
}

// sendFrame publishes the frame and the entry in the index.
func (l *lease) sendFrame(ctx context.Context) error {
	link := l.store.member.Current()
	if link == nil {
		return journal.ErrClosed
	}
	l.mu.Lock()
	f, after := l.sending, l.store.ownFrame(l.epoch, l.stored.frame, l.seen)
	l.mu.Unlock()
	if f != nil {
		if err := l.moveToBlob(ctx, link, f); err != nil {
			return err
		}
		seen := link.Interruptions()
		seq, err := l.store.submitFrame(ctx, link, link.Namespace.Journal(l.id), f, after)
		if err != nil {
			return err
		}
		l.frameStored(f, seq, seen)
	}
	l.mu.Lock()
	soon := l.indexSoon && len(l.queue) == 0 && !l.fenced // otherwise the summary is ahead of the log
	l.mu.Unlock()
	if soon {
		l.updateIndex(ctx, link)
	}
	return nil
}

// frameStored notes that the frame in flight is stored.
func (l *lease) frameStored(f *frame, seq, seen uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fenced {
		return
	}
	l.stored, l.seen = place{l.sendEnd, seq}, seen
	l.marks.add(l.stored)
	l.retain(f.first, f.lines)
	l.sending = nil
	if len(l.queue) == 0 && cap(f.lines) <= maxIdleQueue {
		l.queue = f.lines[:0]
	}
	l.progress.Broadcast()
}

// stopPump ends the pump after an error.
func (l *lease) stopPump(err error) {
	if errors.Is(err, stream.ErrTaken) {
		if link := l.store.member.Current(); link != nil {
			l.saveTail(link)
		}
		l.lose()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pumping, l.failure = false, err
	l.progress.Broadcast()
}

// moveToBlob stores the lines of a large frame as a blob that the frame names.
func (l *lease) moveToBlob(ctx context.Context, link *cluster.Link, f *frame) error {
	if len(f.lines) <= maxBody {
		return nil
	}
	address, err := putBlob(ctx, link, l.id, f.lines)
	if err != nil {
		return err
	}
	f.body = &blobReference{address: address, size: int64(len(f.lines))}
	f.lines = nil
	return nil
}

// A place is a boundary between two frames of a session, or between two records.
type place struct {
	chain.Position
	frame uint64 // sequence of the frame that contains the record before
}

// checkpointInterval is the minimum distance between checkpoints, in bytes.
const checkpointInterval = 1 << 20

// checkpoints are the ends of frames that were verified, in order.
type checkpoints []place

// add appends p if it is far enough from the last checkpoint.
func (c *checkpoints) add(p place) {
	if p.Offset-c.lastBefore(^uint64(0)).Offset >= checkpointInterval {
		*c = append(*c, p)
	}
}

// lastBefore returns the last checkpoint before record number from.
func (c checkpoints) lastBefore(from uint64) place {
	i, _ := slices.BinarySearchFunc(c, from, func(p place, from uint64) int {
		if p.Seq < from {
			return -1
		}
		return 1
	})
	if i == 0 {
		return place{}
	}
	return c[i-1]
}
