package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/host"
)

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
	c := newConn(ctx, &s.metrics)
	defer c.working.Wait()
	defer cancel()
	stop := make(chan struct{})
	serve, err := s.o.Host.Dialect(ctx, host.Conn{
		Preamble: p, In: s.o.Host.Limited(ctx, c), Out: c, Stop: stop, Signal: c.signal, Token: &b.Info,
	})
	if err != nil {
		s.audit(r, b, "refused", p.Dialect, err.Error())
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	c.ws, err = websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{Subprotocol}, InsecureSkipVerify: true, // the origin was checked
		OnPongReceived: func(context.Context, []byte) { c.seen() },
		OnPingReceived: func(context.Context, []byte) bool { c.seen(); return !c.writing.Load() }, // no answer is better than a late one
	})
	if err != nil {
		return // it was answered
	}
	defer func() { _ = c.ws.CloseNow() }() // it is closed already, if all went well
	c.ws.SetReadLimit(-1)                  // the dialect has its own limit of a line
	c.seen()
	s.metrics.open.Add(1)
	defer s.metrics.open.Add(-1)
	s.audit(r, b, "connected", p.Dialect, "")
	defer s.audit(r, b, "disconnected", p.Dialect, "")
	s.speak(c, b, p.Dialect, serve, stop)
}

// speak serves the dialect, and ends the connection when its peer is silent or its token ends.
func (s *Server) speak(c *conn, b bearer, dialect string, serve host.Serve, stop chan<- struct{}) {
	served := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		s.watch(c, b, stop, served)
	}()
	defer func() { <-watching }()
	defer close(served)
	code, err := serve()
	if err != nil {
		s.o.Log.Warn("connection failed", "dialect", dialect, "error", err)
	}
	if c.revoked.Load() {
		c.close(websocket.StatusPolicyViolation, "the token was revoked or has expired, or the browser was signed out")
		return
	}
	c.close(websocket.StatusNormalClosure, exitReason(code, err))
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
		case <-c.stopped:
			return
		case <-b.signedOut:
			c.revoked.Store(true)
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
			c.ping()
		}
	}
}
