package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/text"
)

// Subprotocol is the name of the protocol in handshakes.
const Subprotocol = "parley.v1"

const native = "native" // the dialect that enforces roles and scopes itself

// serveDialect answers /v1/<dialect> with a WebSocket connection.
func (s *Server) serveDialect(w http.ResponseWriter, r *http.Request) {
	p := host.Preamble{Parley: 1, Dialect: r.PathValue("dialect")}
	if !s.o.Host.Speaks(p.Dialect) {
		refuse(w, http.StatusNotFound, "this host does not speak that")
		return
	}
	b, ok := s.authenticate(w, r)
	if !ok {
		return
	}
	if err := readQuery(r.URL.RawQuery, &p); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if p.Dialect != native && (b.Role != "driver" && b.Role != "owner" || b.Sessions != nil) {
		s.metrics.forbidden.Add(1)
		s.audit(r, b, "refused", p.Dialect, "the token is not sufficient")
		refuse(w, http.StatusForbidden, "this dialect needs a token with the role driver that is not limited to sessions")
		return
	}
	leave, err := s.o.Host.Enter()
	if err != nil {
		s.metrics.full.Add(1)
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer leave()
	s.accept(w, r, b, p)
}

// readQuery reads the members of a preamble that a request may have as parameters: cwd, and args as a JSON array.
func readQuery(raw string, p *host.Preamble) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return errors.New("the query cannot be read")
	}
	for name, list := range values {
		switch {
		case p.Dialect == native || name != "cwd" && name != "args":
			return fmt.Errorf("the parameter %q is not known here", name)
		case len(list) != 1:
			return fmt.Errorf("the parameter %q is there twice", name)
		}
	}
	if values.Has("cwd") {
		if p.Cwd = values.Get("cwd"); !filepath.IsAbs(p.Cwd) {
			return errors.New("cwd must be an absolute path")
		}
	}
	if values.Has("args") {
		if err := json.Unmarshal([]byte(values.Get("args")), &p.Args); err != nil || p.Args == nil {
			return errors.New("args must be a JSON array of strings")
		}
	}
	if slices.ContainsFunc(append(p.Args, p.Cwd), func(text string) bool { return bytes.ContainsRune([]byte(text), 0) }) {
		return errors.New("a parameter contains a zero byte")
	}
	return nil
}

// accept makes a connection of the request and speaks to its client until one of them ends it.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, b bearer, p host.Preamble) {
	ctx, cancel := context.WithCancel(s.life)
	var pings sync.WaitGroup
	defer pings.Wait()
	defer cancel()
	c := &conn{pings: &pings, ctx: ctx, counters: &s.metrics, gone: make(chan struct{})}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{Subprotocol}, InsecureSkipVerify: true, // the origin was checked
		OnPongReceived: func(context.Context, []byte) { c.seen() },
		OnPingReceived: func(context.Context, []byte) bool { c.seen(); return true },
	})
	if err != nil {
		return // it was answered
	}
	defer func() { _ = ws.CloseNow() }() // it is closed already, if all went well
	ws.SetReadLimit(-1)                  // the dialect has its own limit of a line
	c.ws = ws
	c.seen()
	s.metrics.open.Add(1)
	defer s.metrics.open.Add(-1)
	s.audit(r, b, "connected", p.Dialect, "")
	defer s.audit(r, b, "disconnected", p.Dialect, "")
	s.speak(c, b, p)
}

// speak serves the dialect, and ends the connection when its peer is silent or its token ends.
func (s *Server) speak(c *conn, b bearer, p host.Preamble) {
	stop := make(chan struct{})
	served := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		s.watch(c, b, stop, served)
	}()
	defer func() { <-watching }()
	defer close(served)
	serve, err := s.o.Host.Dialect(c.ctx, host.Conn{Preamble: p, In: c, Out: c, Stop: stop, Token: &b.Info})
	if err != nil {
		c.close(websocket.StatusPolicyViolation, err.Error())
		return
	}
	code, err := serve()
	if err != nil {
		s.o.Log.Warn("connection failed", "dialect", p.Dialect, "error", err)
	}
	if c.revoked.Load() {
		c.close(websocket.StatusPolicyViolation, "the token was revoked or has expired")
		return
	}
	c.close(websocket.StatusNormalClosure, fmt.Sprintf(`{"exit":%d}`, code))
}

const (
	pingEvery   = 20 * time.Second
	silenceWait = 60 * time.Second
)

// watch closes stop when the connection has to end, and ends one whose peer is silent. When its token has ended, nothing
// is read or written any more.
func (s *Server) watch(c *conn, b bearer, stop chan<- struct{}, served <-chan struct{}) {
	ticks := time.NewTicker(pingEvery)
	defer ticks.Stop()
	defer close(stop)
	for {
		select {
		case <-served:
			return
		case <-s.o.Host.Stop():
			return
		case <-b.ended:
			s.metrics.tokensEnded.Add(1)
			c.revoked.Store(true)
			return
		case <-ticks.C:
			if c.silence() >= silenceWait {
				s.metrics.silent.Add(1)
				_ = c.ws.CloseNow() // the peer is gone
				return
			}
			if c.pinging.CompareAndSwap(false, true) {
				c.pings.Go(c.ping)
			}
		}
	}
}

// ping sends a ping and waits for its answer. Silence shows what is wrong.
func (c *conn) ping() {
	defer c.pinging.Store(false)
	ctx, cancel := context.WithTimeout(c.ctx, silenceWait) // its end during the write ends the connection
	defer cancel()
	_ = c.ws.Ping(ctx)
}

// A conn is a WebSocket connection as lines: each message received is a line, each line written is a message.
type conn struct {
	ctx      context.Context
	ws       *websocket.Conn
	counters *counters
	gone     chan struct{} // closed when the peer neither sends nor reads any more

	message io.Reader // being read; nil: the next one
	partial []byte    // the beginning of a line that is to be written

	pings   *sync.WaitGroup
	pinging atomic.Bool
	revoked atomic.Bool // the token has ended

	last    atomic.Int64 // when the peer was heard last, in nanoseconds of Unix time
	waiting atomic.Bool  // whether a message is being waited for, so that the peer could be heard
}

func (c *conn) seen() { c.last.Store(time.Now().UnixNano()) }

// silence returns how long the peer has not been heard; 0 while it cannot be.
func (c *conn) silence() time.Duration {
	if !c.waiting.Load() {
		c.seen()
		return 0
	}
	return time.Since(time.Unix(0, c.last.Load()))
}

var (
	errBinary  = errors.New("messages must be text")
	errRevoked = errors.New("the token has ended")
)

// Read reads the messages, each followed by a line feed. A line feed within a message, which JSON allows between
// members, becomes a carriage return, which it allows there too, and also nowhere else.
func (c *conn) Read(p []byte) (int, error) {
	c.waiting.Store(true)
	defer c.waiting.Store(false)
	if len(p) == 0 {
		return 0, nil
	}
	if c.message == nil {
		kind, message, err := c.ws.Reader(c.ctx)
		if c.revoked.Load() {
			return 0, c.ended()
		}
		if err == nil && kind != websocket.MessageText {
			c.close(websocket.StatusUnsupportedData, errBinary.Error())
			err = errBinary
		}
		if err != nil {
			return 0, c.ended()
		}
		c.counters.received.Add(1)
		c.message = message
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
		return 0, c.ended()
	}
	return n, nil
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
		if err := c.ws.Write(c.ctx, websocket.MessageText, line); err != nil {
			return written, err
		}
		c.counters.sent.Add(1)
		c.counters.sentBytes.Add(int64(len(line)))
		written += len(p) - len(rest)
		p = rest
	}
	return written, nil
}

// close ends the connection with a status. The peer has a few seconds to answer.
func (c *conn) close(code websocket.StatusCode, reason string) {
	_ = c.ws.Close(code, text.Clip(reason, maxReason-len(ellipsis), ellipsis)) // it is closed in any case
}

// maxReason is how long the reason of a close frame may be, in bytes.
const (
	maxReason = 123
	ellipsis  = "…"
)
