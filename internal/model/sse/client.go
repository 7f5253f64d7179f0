package sse

import (
	"net/http"
	"sync"
)

// client returns what requests are sent with.
func (e *Endpoint) client() *http.Client {
	if e.HTTP != nil {
		return e.HTTP
	}
	return DefaultClient()
}

// writeBuffer is how much a connection collects before it writes, in bytes: the first requests of a session leave in one write.
const writeBuffer = 16 << 10

// DefaultClient returns the client that all endpoints share that have none of their own. It keeps its connections to a server for
// later requests; http.DefaultClient keeps two, so that of many sessions that work most connect anew for each request.
var DefaultClient = sync.OnceValue(func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = transport.MaxIdleConns
	transport.WriteBufferSize = writeBuffer
	return &http.Client{Transport: transport}
})
