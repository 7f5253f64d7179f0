package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"parley.dev/parley/internal/metric"
)

// StatusOptions are how a server works that serves the state of a process only.
type StatusOptions struct {
	Version string
	Ready   func() error                        // why the process takes nothing new; nil: it does
	Metrics func(context.Context, *metric.Page) // adds metrics of the process
	Log     *slog.Logger
}

// NewStatus returns a server of /healthz, /readyz and /metrics, for a process without clients. There are no tokens: the server listens
// at loopback addresses only, and what it serves is numbers.
func NewStatus(o StatusOptions) *Server {
	s := &Server{o: Options{Version: o.Version, Ready: o.Ready, Metrics: o.Metrics, Log: o.Log}, started: time.Now()}
	mux := http.NewServeMux()
	s.handleStatus(mux)
	s.begin(s.guard(mux))
	return s
}

var errClosing = errors.New("the host closes")

// handleStatus adds what serves the state of the process.
func (s *Server) handleStatus(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.ready(); err != nil {
			refuse(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		say(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /metrics", s.serveMetrics)
}

// ready reports why the process takes nothing new.
func (s *Server) ready() error {
	if s.o.Host != nil && s.o.Host.Closing() {
		return errClosing
	}
	if s.o.Ready != nil {
		return s.o.Ready()
	}
	return nil
}
