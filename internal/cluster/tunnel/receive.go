package tunnel

import (
	"fmt"
	"slices"
	"time"
)

// receive takes a message of the other side. It does not wait for the reader: the window bounds what is buffered.
func (c *Conn) receive(data []byte) {
	m, err := decode(data)
	if err == nil {
		err = c.apply(m)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrBroken, err)
		go c.end(err, true) // the caller may be what a message needs that is being sent
	}
}

// apply takes a message. The error is why the tunnel is broken.
func (c *Conn) apply(m message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isDone() {
		return nil
	}
	c.heard = time.Now()
	defer c.progress.Broadcast()
	if m.taken > c.sent {
		return fmt.Errorf("%d bytes were read of %d", m.taken, c.sent)
	}
	c.reported = max(c.reported, m.taken)
	switch {
	case m.kind == kindPing && m.number >= c.next, m.kind != kindPing && m.number > c.next:
		return fmt.Errorf("message %d is missing", c.next)
	case m.kind == kindPing || m.number < c.next: // a message that came twice
		return nil
	}
	c.next++
	switch m.kind {
	case kindData:
		if c.inputEnd || c.buffered+len(m.data) > Window {
			return fmt.Errorf("%d bytes more than there is room for", c.buffered+len(m.data)-Window)
		}
		c.waiting = append(c.waiting, slices.Clone(m.data))
		c.buffered += len(m.data)
	case kindEnd:
		c.inputEnd = true
	default:
		c.peerClosed = true
		close(c.done)
		go c.stop()
	}
	return nil
}
