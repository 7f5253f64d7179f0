package tunnel

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// A Feed carries messages between processes, in order, and may lose them.
type Feed interface {
	// Send sends a message to all that receive those of a subject.
	Send(subject string, data []byte) error
	// Receive calls received with the messages of a subject, one after the other.
	Receive(subject string, received func(data []byte)) (stop func(), err error)
}

const (
	// Window is how many bytes may be on their way, or wait for the reader.
	Window = 1 << 20
	// reportEvery is after how many bytes that were read the other side is sent how many.
	reportEvery = Window / 4
	// DefaultSilence is after how long without a message a tunnel is broken.
	DefaultSilence = 15 * time.Second
	// pings is how often a side shows within this time that it lives.
	pings = 3
)

var (
	// ErrBroken is the error of a tunnel that has missed messages, or whose other side is silent.
	ErrBroken = errors.New("the tunnel is broken")
	// ErrClosed is the error of a tunnel that this side has closed.
	ErrClosed = errors.New("the tunnel is closed")
)

// A Conn is one side of a tunnel. Its methods are safe for concurrent use.
type Conn struct {
	feed    Feed
	subject string // of what it sends
	silence time.Duration
	stop    func() // ends the receiving
	done    chan struct{}
	running sync.WaitGroup // the pings

	sending sync.Mutex // held while a message is numbered and sent; locked before mu

	mu        sync.Mutex // guards the rest
	progress  *sync.Cond
	number    uint64 // of the last message that was sent
	sent      uint64 // bytes
	reported  uint64 // bytes of these that the other side's user has read
	outputEnd bool   // CloseWrite was called

	next       uint64 // the number of the next message to come
	waiting    [][]byte
	buffered   int    // bytes in waiting
	taken      uint64 // bytes that were read
	takenSent  uint64 // bytes that the other side knows to be read
	inputEnd   bool   // no more bytes come
	peerClosed bool   // the other side has closed the tunnel
	heard      time.Time
	err        error // why the tunnel has ended
}

// New returns a side of a tunnel that receives the messages of one subject and sends to another. It is broken after a
// silence, which is the same on both sides.
func New(feed Feed, from, to string, silence time.Duration) (*Conn, error) {
	c := &Conn{feed: feed, subject: to, silence: silence, done: make(chan struct{}), next: 1, heard: time.Now()}
	c.progress = sync.NewCond(&c.mu)
	stop, err := feed.Receive(from, c.receive)
	if err != nil {
		return nil, err
	}
	c.stop = stop
	c.running.Go(c.ping)
	return c, nil
}

// Read reads bytes of the other side. It returns io.EOF after the last one of a side that has ended its output or closed
// the tunnel, and what came before the end in any case.
func (c *Conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, report, err := c.take(p)
	if report {
		_ = c.send(kindPing, nil) // it ends the tunnel if it fails
	}
	return n, err
}

// take is Read, and returns whether the other side should be sent how much was read.
func (c *Conn) take(p []byte) (n int, report bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.waiting) == 0 {
		switch {
		case c.inputEnd || c.peerClosed:
			return 0, false, io.EOF
		case c.err != nil:
			return 0, false, c.err
		}
		c.progress.Wait()
	}
	n = copy(p, c.waiting[0])
	if n == len(c.waiting[0]) {
		c.waiting[0] = nil
		c.waiting = c.waiting[1:]
	} else {
		c.waiting[0] = c.waiting[0][n:]
	}
	c.buffered -= n
	c.taken += uint64(n)
	return n, c.taken-c.takenSent >= reportEvery, nil
}

// Write writes bytes. It waits while the other side has a window of bytes that its user has not read.
func (c *Conn) Write(p []byte) (written int, err error) {
	for len(p) > 0 {
		room, err := c.awaitRoom()
		if err != nil {
			return written, err
		}
		n, err := c.sendData(p[:min(len(p), room, maxData)])
		written += n
		p = p[n:]
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// awaitRoom waits until something can be sent, and returns how much.
func (c *Conn) awaitRoom() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.err == nil && !c.peerClosed && !c.outputEnd && c.sent-c.reported >= Window {
		c.progress.Wait()
	}
	switch {
	case c.err != nil:
		return 0, c.err
	case c.peerClosed:
		return 0, io.ErrClosedPipe
	case c.outputEnd:
		return 0, ErrClosed
	}
	return int(Window - (c.sent - c.reported)), nil
}

// sendData sends as many of the bytes as there is room for: another Write may have used some.
func (c *Conn) sendData(p []byte) (int, error) {
	c.sending.Lock()
	defer c.sending.Unlock()
	c.mu.Lock()
	p = p[:min(uint64(len(p)), Window-(c.sent-c.reported))]
	err := c.err
	c.mu.Unlock()
	if len(p) == 0 || err != nil {
		return 0, err
	}
	if err := c.sendLocked(kindData, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite lets the other side know that no more bytes come.
func (c *Conn) CloseWrite() error {
	c.mu.Lock()
	outputEnd := c.outputEnd
	c.outputEnd = true
	c.progress.Broadcast()
	c.mu.Unlock()
	if outputEnd {
		return nil
	}
	return c.send(kindEnd, nil)
}

// Close ends the tunnel for both sides.
func (c *Conn) Close() error {
	c.end(ErrClosed, true)
	c.running.Wait()
	return nil
}

// Break ends the tunnel as one whose other side is gone.
func (c *Conn) Break(why error) { c.end(fmt.Errorf("%w: %w", ErrBroken, why), true) }

// Quiet returns for how long nothing has come from the other side.
func (c *Conn) Quiet() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.heard)
}

// Done is closed when the tunnel has ended, for whatever reason.
func (c *Conn) Done() <-chan struct{} { return c.done }

// ReaderClosed reports whether nothing that is written reaches the other side any more.
func (c *Conn) ReaderClosed() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Err returns why the tunnel has ended: nil if it has not, or the other side has closed it.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// send sends a message.
func (c *Conn) send(k kind, data []byte) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	return c.sendLocked(k, data)
}

// sendLocked is send for a caller that holds c.sending.
func (c *Conn) sendLocked(k kind, data []byte) error {
	c.mu.Lock()
	if k != kindPing {
		c.number++
	}
	c.sent += uint64(len(data))
	m := message{k, c.number, c.taken, data}
	c.takenSent = c.taken
	c.mu.Unlock()
	err := c.feed.Send(c.subject, m.append(make([]byte, 0, headSize+len(data))))
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrBroken, err)
		c.end(err, false)
	}
	return err
}

// end ends the tunnel. With notify the other side is sent that.
func (c *Conn) end(why error, notify bool) {
	c.mu.Lock()
	if c.isDone() {
		c.mu.Unlock()
		return
	}
	c.err = why
	close(c.done)
	c.progress.Broadcast()
	c.mu.Unlock()
	c.stop()
	if notify {
		_ = c.send(kindClose, nil) // the other side notices the silence otherwise
	}
}

func (c *Conn) isDone() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// ping shows the other side that this one lives, and ends the tunnel if the other one is silent.
func (c *Conn) ping() {
	ticks := time.NewTicker(c.silence / pings)
	defer ticks.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-ticks.C:
		}
		c.mu.Lock()
		silence := time.Since(c.heard)
		c.mu.Unlock()
		if silence >= c.silence {
			c.end(fmt.Errorf("%w: the other side is silent", ErrBroken), true)
			return
		}
		_ = c.send(kindPing, nil) // it ends the tunnel if it fails
	}
}
