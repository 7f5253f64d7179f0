package socket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"parley.dev/parley/internal/text"
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
			return 0, c.broken(err)
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
		return 0, c.broken(err)
	}
	return n, nil
}

// broken is ended for an error of reading. A frame that breaks the protocol is what the client has done wrong, so that it is sent why.
func (c *Conn) broken(err error) error {
	if IsProtocolError(err) && c.ctx.Err() == nil && !c.expired.Load() {
		_ = c.ws.Close(websocket.StatusProtocolError, text.Clip(err.Error(), maxReason, "…")) // it is closed in any case
	}
	return c.ended()
}

// maxReason is how long the reason of a close frame may be, in bytes, without an ellipsis.
const maxReason = 123 - len("…")

// IsProtocolError reports whether the error of a read is of a frame that RFC 6455 does not allow, and not the end of the connection. The
// WebSocket library closes for some of them itself, and only returns others, such as that of a frame without a mask.
func IsProtocolError(err error) bool {
	if err == nil || websocket.CloseStatus(err) != -1 {
		return false
	}
	for _, ended := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ended) {
			return false
		}
	}
	_, ofNetwork := errors.AsType[net.Error](err)
	_, ofSystem := errors.AsType[syscall.Errno](err)
	return !ofNetwork && !ofSystem
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
