package web

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"
)

// counters are what the server counts.
type counters struct {
	unauthorized, slowed, forbidden, full    atomic.Int64 // requests that were refused, by reason
	open, silent, tokensEnded                atomic.Int64 // connections: now, gone without a word, ended with their token
	received, receivedBytes, sent, sentBytes atomic.Int64 // messages
}

// A metric is a line of the text format of Prometheus.
type metric struct {
	name  string // with its labels
	value int64
}

// current returns the metrics now.
func (s *Server) current() []metric {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	m := &s.metrics
	return []metric{
		{fmt.Sprintf("parley_info{version=%q}", s.o.Version), 1},
		{"parley_uptime_seconds", int64(time.Since(s.started).Seconds())},
		{"parley_clients", int64(s.o.Host.Clients())},
		{"parley_sessions", int64(s.o.Sessions())},
		{"parley_goroutines", int64(runtime.NumGoroutine())},
		{"parley_memory_heap_bytes", int64(memory.HeapAlloc)}, //nolint:gosec // no heap has 2^63 bytes
		{`parley_http_refused_total{reason="token"}`, m.unauthorized.Load()},
		{`parley_http_refused_total{reason="rate"}`, m.slowed.Load()},
		{`parley_http_refused_total{reason="forbidden"}`, m.forbidden.Load()},
		{`parley_http_refused_total{reason="full"}`, m.full.Load()},
		{"parley_websocket_connections", m.open.Load()},
		{"parley_websocket_silent_total", m.silent.Load()},
		{"parley_websocket_tokens_ended_total", m.tokensEnded.Load()},
		{"parley_websocket_messages_received_total", m.received.Load()},
		{"parley_websocket_bytes_received_total", m.receivedBytes.Load()},
		{"parley_websocket_messages_sent_total", m.sent.Load()},
		{"parley_websocket_bytes_sent_total", m.sentBytes.Load()},
	}
}

// serveMetrics answers /metrics, in the text format of Prometheus.
func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if _, ok := s.authenticate(w, r); !ok {
		return
	}
	var text bytes.Buffer
	for _, m := range s.current() {
		fmt.Fprintf(&text, "%s %d\n", m.name, m.value)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = text.WriteTo(w) // the client is gone if not
}
