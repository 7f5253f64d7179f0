package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/coder/websocket"

	"parley.dev/parley/internal/host/socket"
	"parley.dev/parley/internal/text"
)

// A conn is a WebSocket connection as lines: each text message received is a line, each line written is a message.
type conn struct {
	pulse

	ctx      context.Context
	ws       *websocket.Conn
	counters *counters
	working  sync.WaitGroup // pings, and listen

	message  io.Reader     // being read; nil: the next one
	complete bool          // the client has ended its input; only the reader uses it
	gone     chan struct{} // closed when the peer neither sends nor reads any more
	stopped  chan struct{} // closed when the client asks for the end, or is gone after the end of its input
	asked    os.Signal     // why; nil: it is gone. It is set before that

	partial []byte      // the beginning of a line that is to be written
	writing atomic.Bool // a message is being written
	pinging atomic.Bool
	revoked atomic.Bool // the token has ended
}

// newConn returns a connection; ws is set when there is one.
func newConn(ctx context.Context, counters *counters) *conn {
	return &conn{ctx: ctx, counters: counters, gone: make(chan struct{}), stopped: make(chan struct{})}
}

var errRevoked = errors.New("the token has ended")

// Read reads the messages, each followed by a line feed. A line feed within a message, which JSON allows between
// members, becomes a carriage return, which it allows there too, and also nowhere else.
func (c *conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if c.complete {
		return 0, io.EOF
	}
	defer c.listenForPeer()()
	if c.message == nil {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	n, err := c.message.Read(p)
	for i := range p[:n] {
		if p[i] == '\n' {
			p[i] = '\r'
		}
	}
	c.seen()
	c.counters.receivedBytes.Add(int64(n))
	switch {
	case c.revoked.Load():
		return 0, c.ended()
	case errors.Is(err, io.EOF) && n == 0:
		c.message = nil
		p[0] = '\n'
		return 1, nil
	case errors.Is(err, io.EOF):
		return n, nil // the next Read ends the line
	case err != nil:
		return 0, c.broken(err)
	}
	return n, nil
}

// next waits for the next line, and does what controls ask for meanwhile. After the end of the input it listens on.
func (c *conn) next() error {
	for {
		kind, message, err := c.ws.Reader(c.ctx)
		if err != nil || c.revoked.Load() {
			return c.broken(err)
		}
		if kind == websocket.MessageText {
			c.counters.received.Add(1)
			c.message = message
			return nil
		}
		asked, err := readControl(message)
		switch {
		case err != nil:
			c.close(websocket.StatusUnsupportedData, err.Error())
			return c.ended()
		case asked.End:
			c.complete = true
			c.working.Go(c.listen)
			return io.EOF
		}
		c.stop(syscall.Signal(asked.Stop))
	}
}

// listen waits, after the end of the input, for the client to ask for the end, or to be gone.
func (c *conn) listen() {
	defer c.listenForPeer()()
	for {
		kind, message, err := c.ws.Reader(c.ctx)
		if err != nil {
			break
		}
		asked, err := readControl(message)
		if kind != websocket.MessageBinary || err != nil || asked.End {
			c.close(websocket.StatusProtocolError, "a message after the end of the input")
			break
		}
		c.stop(syscall.Signal(asked.Stop))
	}
	_ = c.ended()
	c.stop(nil)
}

// stop lets the connection end, because of a signal to the client's process or because the client is gone. Only the first
// call counts; only the goroutine that reads calls it.
func (c *conn) stop(why os.Signal) {
	select {
	case <-c.stopped:
	default:
		c.asked = why
		close(c.stopped)
	}
}

// signal returns the signal to the client's process that ends the connection; nil: none.
func (c *conn) signal() os.Signal {
	select {
	case <-c.stopped:
		return c.asked
	default:
		return nil
	}
}

// broken is ended for an error of reading. A frame that breaks the protocol is what the peer has done wrong, so that it is sent why.
func (c *conn) broken(err error) error {
	if socket.IsProtocolError(err) && c.ctx.Err() == nil {
		c.close(websocket.StatusProtocolError, err.Error())
	}
	return c.ended()
}

// ended notes that the peer is gone, and returns the end of the input. What went wrong makes no difference: the sessions
// of a client that has left go on.
func (c *conn) ended() error {
	select {
	case <-c.gone:
	default:
		close(c.gone)
	}
	return io.EOF
}

// ReaderClosed reports whether the peer is gone.
func (c *conn) ReaderClosed() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// Write sends the lines in p, each as a message.
func (c *conn) Write(p []byte) (int, error) {
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
		if c.revoked.Load() {
			return written, errRevoked
		}
		if err := c.send(line); err != nil {
			return written, err
		}
		c.counters.sent.Add(1)
		c.counters.sentBytes.Add(int64(len(line)))
		written += len(p) - len(rest)
		p = rest
	}
	return written, nil
}

// send sends a message.
func (c *conn) send(line []byte) error {
	c.writing.Store(true)
	defer c.writing.Store(false)
	return c.ws.Write(c.ctx, websocket.MessageText, line)
}

// ping sends a ping in the background, unless one is sent already, or the peer does not read: then it would be in the way
// of nothing, and its end would end the connection. Silence shows what is wrong.
func (c *conn) ping() {
	if c.writing.Load() || !c.pinging.CompareAndSwap(false, true) {
		return
	}
	c.working.Go(func() {
		defer c.pinging.Store(false)
		ctx, cancel := context.WithTimeout(c.ctx, silenceWait) // its end during the write ends the connection
		defer cancel()
		_ = c.ws.Ping(ctx)
	})
}

// close ends the connection with a status. The peer has a few seconds to answer.
func (c *conn) close(code websocket.StatusCode, reason string) {
	_ = c.ws.Close(code, text.Clip(reason, maxReason, ellipsis)) // it is closed in any case
}

// maxReason is how long the reason of a close frame may be, in bytes, without an ellipsis.
const (
	maxReason = 123 - len(ellipsis)
	ellipsis  = "…"
)
