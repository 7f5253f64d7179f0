package wire

import (
	"errors"
	"sync"
	"time"

	"parley.dev/parley/internal/lock"
)

// errReaderStalled is the reason of ErrOutputClosed when Expire has ended the output.
var errReaderStalled = errors.New("its reader has stopped reading")

// An Outbox is the queue in front of the Writer of a connection. Its own goroutine writes the
// lines, so that callers do not wait for a slow reader, except in Put.
type Outbox struct {
	w     *Writer
	bound int

	mu     lock.Mutex
	space  sync.Cond // signalled when bytes decreases, or the outbox is closed
	lines  [][]byte
	spare  [][]byte // an empty slice for the next lines
	bytes  int
	closed bool // no more lines are accepted
	wake   chan struct{}
	done   chan struct{} // the goroutine has ended

	expiry sync.Once
}

// NewOutbox starts an outbox whose Put waits while bound bytes are queued. Close stops it.
func NewOutbox(w *Writer, bound int) *Outbox {
	o := &Outbox{w: w, bound: bound, wake: make(chan struct{}, 1), done: make(chan struct{})}
	o.space.L = &o.mu
	go o.run()
	return o
}

// Put waits for space and then queues a line, without LF. The line must not be changed afterwards.
func (o *Outbox) Put(line []byte) {
	o.mu.Lock()
	for o.bytes >= o.bound && !o.closed {
		o.space.Wait()
	}
	o.add(line)
	o.mu.Unlock()
}

// Post queues a line without waiting, unless four times the bound is queued: then it waits as Put
// does.
func (o *Outbox) Post(line []byte) {
	o.mu.Lock()
	for o.bytes >= 4*o.bound && !o.closed {
		o.space.Wait()
	}
	o.add(line)
	o.mu.Unlock()
}

func (o *Outbox) add(line []byte) {
	if o.closed {
		return
	}
	o.lines = append(o.lines, line)
	o.bytes += len(line)
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Flush waits until everything queued is written, or the outbox is closed.
func (o *Outbox) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.bytes > 0 && !o.closed {
		o.space.Wait()
	}
}

// Expire limits how long the outbox waits for its reader from now on. If something is queued and
// the reader accepts no byte for as long as grace, Expire closes the output, drops the queue and
// calls stalled; after that no method waits, including Close. Only the first call has an effect.
func (o *Outbox) Expire(grace time.Duration, stalled func()) {
	o.expiry.Do(func() { go o.watchReader(grace, stalled) })
}

// watchReader checks several times within grace, since a reader may stop at any moment.
func (o *Outbox) watchReader(grace time.Duration, stalled func()) {
	tick := time.NewTicker(grace / 8)
	defer tick.Stop()
	accepted := o.w.accepted.Load()
	var since time.Time // the first check at which the reader had accepted nothing; zero if it reads
	for {
		select {
		case <-o.done:
			return
		case <-tick.C:
		}
		now := o.w.accepted.Load()
		switch {
		case now != accepted || !o.pending():
			accepted, since = now, time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= grace:
			o.w.Fail(errReaderStalled)
			o.mu.Lock()
			o.markClosed()
			o.mu.Unlock()
			stalled()
			return
		}
	}
}

// pending reports whether something is not written yet.
func (o *Outbox) pending() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes > 0
}

// Close waits until everything queued is written, or the output is closed.
func (o *Outbox) Close() {
	o.mu.Lock()
	o.markClosed()
	o.mu.Unlock()
	select {
	case <-o.done:
	case <-o.w.Closed():
	}
}

func (o *Outbox) markClosed() {
	o.closed = true
	o.space.Broadcast()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *Outbox) run() {
	defer close(o.done)
	for {
		taken, ended := o.takeLines()
		for lines := taken; len(lines) > 0; {
			n, size := batch(lines)
			if o.w.WriteLines(lines[:n]...) != nil { // the output is closed, which Writer.Closed reports
				o.mu.Lock()
				o.markClosed()
				o.mu.Unlock()
				return
			}
			o.recordWritten(size)
			lines = lines[n:]
		}
		o.reuse(taken)
		if len(taken) == 0 {
			if ended {
				return
			}
			<-o.wake
		}
	}
}

// batch returns how many of the first lines are written at once, and their bytes: as many as fit into one write.
func batch(lines [][]byte) (n, size int) {
	for _, line := range lines {
		if n > 0 && size+n+len(line) >= maxWrite {
			break
		}
		n++
		size += len(line)
	}
	return n, size
}

func (o *Outbox) takeLines() (lines [][]byte, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines, o.lines, o.spare = o.lines, o.spare, nil
	return lines, o.closed
}

// reuse makes the slice of lines that were written the next one, unless a burst has made it long.
func (o *Outbox) reuse(written [][]byte) {
	if cap(written) == 0 || cap(written) > maxSpare {
		return
	}
	clear(written)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spare = written[:0]
}

// maxSpare is how many lines a slice that is used again has room for.
const maxSpare = 64

func (o *Outbox) recordWritten(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes -= n
	o.space.Broadcast()
}
