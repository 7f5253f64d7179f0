package web

import (
	"context"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/metric"
)

// counters are what the server counts.
type counters struct {
	unauthorized, slowed, forbidden, full    atomic.Int64 // requests that were refused, by reason
	open, silent, tokensEnded                atomic.Int64 // connections: now, gone without a word, ended with their token
	received, receivedBytes, sent, sentBytes atomic.Int64 // messages
}

// page returns the metrics now.
func (s *Server) page(ctx context.Context) *metric.Page {
	p := &metric.Page{}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	p.Gauge("parley_info", 1, "version", s.o.Version)
	p.Gauge("parley_uptime_seconds", float64(int64(time.Since(s.started).Seconds())))
	p.Gauge("parley_goroutines", float64(runtime.NumGoroutine()))
	p.Gauge("parley_memory_heap_bytes", float64(memory.HeapAlloc))
	if s.o.Host != nil {
		s.addClients(p)
	}
	if s.o.Metrics != nil {
		s.o.Metrics(ctx, p)
	}
	return p
}

// addClients adds the metrics of a host's clients.
func (s *Server) addClients(p *metric.Page) {
	m := &s.metrics
	p.Gauge("parley_clients", float64(s.o.Host.Clients()))
	p.Gauge("parley_sessions", float64(s.o.Sessions()))
	p.Counter("parley_http_refused_total", m.unauthorized.Load(), "reason", "token")
	p.Counter("parley_http_refused_total", m.slowed.Load(), "reason", "rate")
	p.Counter("parley_http_refused_total", m.forbidden.Load(), "reason", "forbidden")
	p.Counter("parley_http_refused_total", m.full.Load(), "reason", "full")
	p.Gauge("parley_websocket_connections", float64(m.open.Load()))
	p.Counter("parley_websocket_silent_total", m.silent.Load())
	p.Counter("parley_websocket_tokens_ended_total", m.tokensEnded.Load())
	p.Counter("parley_websocket_messages_received_total", m.received.Load())
	p.Counter("parley_websocket_bytes_received_total", m.receivedBytes.Load())
	p.Counter("parley_websocket_messages_sent_total", m.sent.Load())
	p.Counter("parley_websocket_bytes_sent_total", m.sentBytes.Load())
}

// serveMetrics answers /metrics, in the text format of Prometheus.
func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if s.o.Tokens != nil {
		if _, ok := s.authenticate(w, r); !ok {
			return
		}
	}
	p := s.page(r.Context())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = p.WriteTo(w) // the client is gone if not
}
