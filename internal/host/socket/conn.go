package socket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// writeWait is how long a client may leave a message unread.
const writeWait = 60 * time.Second

// A Conn is a WebSocket connection as lines: each text message received is a line, each line written is a message.
type Conn struct {
	ctx     context.Context
	ws      *websocket.Conn
	message io.Reader // being read; nil: the next one
	once    sync.Once
	gone    chan struct{} // closed when nothing can be read any more
	partial []byte        // the beginning of a line that is to be written
	expired atomic.Bool   // the token of the client has
}

func newConn(ctx context.Context, ws *websocket.Conn) *Conn {
	ws.SetReadLimit(-1) // the protocol has its own limit of a line
	return &Conn{ctx: ctx, ws: ws, gone: make(chan struct{})}
}

// Read reads the messages, each followed by a line feed. A line feed within a message, which JSON allows between members,
// becomes a carriage return, which it allows there too, and also nowhere else.
func (c *Conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if c.message == nil {
		kind, message, err := c.ws.Reader(c.ctx)
		if err == nil && kind != websocket.MessageText {
			_ = c.ws.Close(websocket.StatusUnsupportedData, "messages are text")
		}
		if err != nil || kind != websocket.MessageText || c.expired.Load() {
			return 0, c.ended()
		}
		c.message = message
	}
	n, err := c.message.Read(p)
	if c.expired.Load() {
		return 0, c.ended()
	}
	for i := range p[:n] {
		if p[i] == '\n' {
			p[i] = '\r'
		}
	}
	switch {
	case errors.Is(err, io.EOF) && n == 0:
		c.message = nil
		p[0] = '\n'
		return 1, nil
	case errors.Is(err, io.EOF):
		return n, nil // the next Read ends the line
	case err != nil:
		return 0, c.ended()
	}
	return n, nil
}

// ended notes that the client is gone, and returns the end of the input.
func (c *Conn) ended() error {
	c.once.Do(func() { close(c.gone) })
	return io.EOF
}

// ReaderClosed reports whether the client is gone.
func (c *Conn) ReaderClosed() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// Write sends the lines in p, each as a message. A client that does not read for a while is dropped.
func (c *Conn) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		line, rest, complete := bytes.Cut(p, []byte("\n"))
		if !complete {
			c.partial = append(c.partial, p...)
			return written + len(p), nil
		}
		if len(c.partial) > 0 {
			line = append(c.partial, line...)
			c.partial = nil
		}
		if c.expired.Load() {
			return written, errExpired
		}
		if err := c.send(line); err != nil {
			return written, err
		}
		written += len(p) - len(rest)
		p = rest
	}
	return written, nil
}

var errExpired = errors.New("the token of the client has expired")

func (c *Conn) send(line []byte) error {
	ctx, cancel := context.WithTimeout(c.ctx, writeWait)
	defer cancel()
	return c.ws.Write(ctx, websocket.MessageText, line)
}
