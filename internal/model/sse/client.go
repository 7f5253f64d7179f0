package sse

import (
	"net/http"

	"parley.dev/parley/internal/lazy"
)

// client returns what requests are sent with.
func (e *Endpoint) client() *http.Client {
	if e.HTTP != nil {
		return e.HTTP
	}
	return DefaultClient.Get()
}

// writeBuffer is the size of the write buffer of a connection, in bytes. Most requests of a short session fit, and are one write.
const writeBuffer = 16 << 10

// DefaultClient returns the client of all endpoints that have none of their own. It keeps as many idle connections to one server as in
// all. http.DefaultClient keeps two, so a host with many active sessions would open a connection for most requests.
var DefaultClient = lazy.Value[*http.Client]{New: func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = transport.MaxIdleConns
	transport.WriteBufferSize = writeBuffer
	return &http.Client{Transport: transport}
}}
