package socket

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Options are how a Server works.
type Options struct {
	// Speak speaks to a client until it leaves, or stop is closed.
	Speak func(ctx context.Context, c *Conn, stop <-chan struct{})
	// Admit reports whether a request may come in, and until when; the zero time: there is no end. Nil: each may.
	Admit func(*http.Request) (expires time.Time, err error)
}

// A Server accepts clients.
type Server struct {
	o       Options
	http    http.Server
	life    context.Context
	end     context.CancelFunc
	clients sync.WaitGroup
	stop    chan struct{}
	once    sync.Once
	after   func(time.Time) <-chan struct{} // closed at that time; of tests
}

// NewServer returns a server that listens nowhere yet.
func NewServer(o Options) *Server {
	s := &Server{o: o, stop: make(chan struct{})}
	s.life, s.end = context.WithCancel(context.Background())
	s.http = http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second}
	return s
}

// Serve accepts clients of a listener until Close.
func (s *Server) Serve(listener net.Listener) error {
	if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close ends the connections, and waits for that.
func (s *Server) Close() error {
	s.once.Do(func() { close(s.stop) })
	err := s.http.Close() // of no client: their connections are hijacked
	s.clients.Wait()
	s.end()
	return err
}

// serve answers a request: most begin a connection.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "" { // a page in a browser
		http.Error(w, "pages cannot connect", http.StatusForbidden)
		return
	}
	if r.URL.Path == "/readyz" || r.URL.Path == "/healthz" {
		w.WriteHeader(http.StatusOK)
		return
	}
	var expires time.Time
	if s.o.Admit != nil {
		var err error
		if expires, err = s.o.Admit(r); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
	}
	s.clients.Add(1)
	defer s.clients.Done()
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // there is no origin
	if err != nil {
		return // it was answered
	}
	defer func() { _ = ws.CloseNow() }() // it is closed already, if all went well
	ctx, cancel := context.WithCancel(s.life)
	defer cancel()
	c := newConn(ctx, ws)
	if !expires.IsZero() {
		over := make(chan struct{})
		var watching sync.WaitGroup
		watching.Go(func() { s.expire(c, cancel, expires, over) })
		defer watching.Wait()
		defer close(over)
	}
	s.o.Speak(ctx, c, s.stop)
	_ = ws.Close(websocket.StatusNormalClosure, "")
}

// expire ends a connection when its token expires, unless it is over before: nothing is read from it or written to it any more.
func (s *Server) expire(c *Conn, cancel context.CancelFunc, expires time.Time, over <-chan struct{}) {
	var expired <-chan struct{}
	if s.after != nil {
		expired = s.after(expires)
	} else {
		ctx, stop := context.WithDeadline(context.Background(), expires)
		defer stop()
		expired = ctx.Done()
	}
	select {
	case <-over:
	case <-expired:
		c.expired.Store(true)
		_ = c.ws.Close(websocket.StatusPolicyViolation, "the token has expired")
		cancel()
	}
}
