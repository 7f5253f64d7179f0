package wire

import "sync"

// An Outbox is the queue before the one Writer of a connection. Its own goroutine writes
// line by line, so that nobody who has something to say waits for a slow reader, except
// those who ask to (Put).
type Outbox struct {
	w     *Writer
	bound int

	mu    sync.Mutex
	room  sync.Cond // signalled when bytes fall, or the outbox ends
	lines [][]byte
	bytes int
	ended bool // no more lines come
	wake  chan struct{}
	done  chan struct{} // the goroutine has ended
}

// NewOutbox starts an outbox whose Put waits while bound bytes are queued. Close ends it.
func NewOutbox(w *Writer, bound int) *Outbox {
	o := &Outbox{w: w, bound: bound, wake: make(chan struct{}, 1), done: make(chan struct{})}
	o.room.L = &o.mu
	go o.run()
	return o
}

// Put queues a line, without LF, after waiting for room. The line must not be changed afterwards.
func (o *Outbox) Put(line []byte) {
	o.mu.Lock()
	for o.bytes >= o.bound && !o.ended {
		o.room.Wait()
	}
	o.add(line)
	o.mu.Unlock()
}

// Post queues a line without waiting, unless the reader is so far behind that four times
// the bound is queued: then it waits as Put does.
func (o *Outbox) Post(line []byte) {
	o.mu.Lock()
	for o.bytes >= 4*o.bound && !o.ended {
		o.room.Wait()
	}
	o.add(line)
	o.mu.Unlock()
}

func (o *Outbox) add(line []byte) {
	if o.ended {
		return
	}
	o.lines = append(o.lines, line)
	o.bytes += len(line)
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Close waits until everything queued is written, or the reader is gone.
func (o *Outbox) Close() {
	o.mu.Lock()
	o.end()
	o.mu.Unlock()
	<-o.done
}

func (o *Outbox) end() {
	o.ended = true
	o.room.Broadcast()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *Outbox) run() {
	defer close(o.done)
	for {
		lines, ended := o.take()
		for _, line := range lines {
			if o.w.WriteLine(line) != nil { // the reader is gone: Writer.Gone tells
				o.mu.Lock()
				o.end()
				o.mu.Unlock()
				return
			}
			o.wrote(len(line))
		}
		if len(lines) == 0 {
			if ended {
				return
			}
			<-o.wake
		}
	}
}

func (o *Outbox) take() (lines [][]byte, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines, o.lines = o.lines, nil
	return lines, o.ended
}

func (o *Outbox) wrote(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes -= n
	o.room.Broadcast()
}
