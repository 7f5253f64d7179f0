package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/audit"
	"parley.dev/parley/internal/host/token"
	"parley.dev/parley/internal/metric"
)

// Options are how a Server works.
type Options struct {
	Host        *host.Host
	Tokens      *token.Store
	Owner       string       // id of the token that is the owner's of this start
	Browsers    string       // file of the browsers that are signed in; "": they end with the process
	Page        bool         // the web console is served
	Certificate *Certificate // nil: without TLS
	Audit       *audit.Log   // nil: nothing is logged
	Sessions    func() int   // how many are open
	Version     string
	Origins     []Origin // of pages that may connect, besides those of this server; their hosts are names of it
	MaxClients  int
	Ready       func() error                        // why the host takes nothing new, besides that it closes; nil: it does
	Metrics     func(context.Context, *metric.Page) // adds metrics of the process; nil: there are none
	Log         *slog.Logger
}

// A Server serves HTTP.
type Server struct {
	o        Options
	http     *http.Server
	failures *failures
	browsers *browsers
	metrics  counters
	started  time.Time
	serving  sync.WaitGroup // listeners

	life context.Context // until Close
	end  context.CancelFunc
}

const (
	headerWait  = 10 * time.Second
	idleWait    = time.Minute
	headerLimit = 64 << 10 // bytes
	spare       = 256      // connections that may be open besides those of clients
)

// New returns a server, which serves nothing yet.
func New(o Options) (*Server, error) {
	browsers, err := newBrowsers(browserFile{o.Browsers, o.Tokens, o.Owner, o.Log})
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, failures: newFailures(), browsers: browsers, started: time.Now()}
	handler, err := s.handler()
	if err != nil {
		return nil, err
	}
	s.begin(handler)
	return s, nil
}

// begin sets what the server answers with.
func (s *Server) begin(handler http.Handler) {
	s.life, s.end = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler: handler, ReadHeaderTimeout: headerWait, IdleTimeout: idleWait, MaxHeaderBytes: headerLimit,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug), // what clients did wrong
		Protocols: func() *http.Protocols {
			var p http.Protocols
			p.SetHTTP1(true)
			return &p
		}(),
	}
	if s.o.Certificate != nil {
		s.http.TLSConfig = s.o.Certificate.config()
	}
}

// Serve accepts connections in the background. A listener that other machines can reach is refused without TLS.
func (s *Server) Serve(listener net.Listener) error {
	if err := check(listener.Addr(), s.o.Certificate != nil); err != nil {
		return err
	}
	limited := netutil.LimitListener(listener, s.o.MaxClients+spare)
	s.serving.Go(func() {
		var err error
		if s.o.Certificate != nil {
			err = s.http.ServeTLS(limited, "", "")
		} else {
			err = s.http.Serve(limited)
		}
		if !errors.Is(err, http.ErrServerClosed) {
			s.o.Log.Error("HTTP is not served any more", "address", listener.Addr(), "error", err)
		}
	})
	return nil
}

// Close ends listeners and requests. The connections of clients end with the host, which is closed first.
func (s *Server) Close() error {
	err := s.http.Close()
	s.end()
	s.serving.Wait()
	return err
}

// handler returns what answers requests.
func (s *Server) handler() (http.Handler, error) {
	mux := http.NewServeMux()
	s.handleStatus(mux)
	mux.HandleFunc("GET /v1/{dialect}", s.serveDialect)
	mux.HandleFunc("POST /v1/link", s.serveLink)
	mux.HandleFunc("POST /v1/signin", s.serveSignIn)
	mux.HandleFunc("POST /v1/signout", s.serveSignOut)
	mux.HandleFunc("GET /v1/me", s.serveMe)
	if !s.o.Page {
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, http.StatusNotFound, "the web console is not served: start the host with --web")
		})
	} else if err := servePage(mux); err != nil {
		return nil, err
	}
	return s.guard(mux), nil
}

// policy forbids pages to run anything but the scripts of this server, and to be framed.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard refuses requests of other pages.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		problem := ""
		switch {
		case !s.ours(r):
			problem = "the host of this request is not a name of this server"
		case !s.sameOrigin(r):
			problem = "requests of other pages are refused"
		}
		if problem != "" {
			s.metrics.forbidden.Add(1)
			refuse(w, http.StatusForbidden, problem)
			return
		}
		if path.Clean(r.URL.Path) != r.URL.Path { // a ServeMux would redirect it
			refuse(w, http.StatusNotFound, "there is nothing at this address")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// audit logs what a client did, except if there is no log.
func (s *Server) audit(r *http.Request, b bearer, event, dialect, problem string) {
	if s.o.Audit == nil {
		return
	}
	err := s.o.Audit.Add(audit.Entry{
		Event: event, Token: b.ID, Name: b.Name, Role: b.Role, Address: r.RemoteAddr, Dialect: dialect, Problem: problem,
	})
	if err != nil {
		s.o.Log.Error("audit log not written", "error", err)
	}
}

// say answers with a line of text.
func say(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text+"\n") // the client is gone if not
}

func refuse(w http.ResponseWriter, code int, problem string) {
	say(w, code, fmt.Sprintf("%d: %s", code, problem))
}
