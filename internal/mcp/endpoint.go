package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An endpoint is a server behind streamable HTTP. It is the http.RoundTripper of its
// connection.
type endpoint struct {
	address *url.URL
	headers map[string]string
	base    http.RoundTripper
	patient time.Duration   // how long the stream of a call may fail to be opened again
	ctx     context.Context // of every request; ends with hangUp
	cancel  context.CancelFunc
	stream  atomic.Bool // a stream of the server's own was requested
	signIn  *signIn     // nil: requests have no token but that of the headers
	older   bool        // it has the transport of 2024-11-05: one stream, and another address for messages
}

// Limits of HTTP. A response itself has none: a call may take long.
const (
	dialLimit   = 10 * time.Second
	streamLimit = 3 * time.Second // until a stream of the server's own begins
	maxHops     = 5
	reopenLimit = 15 * time.Second // for the stream of a call that broke
	// maxReconnects is how often a stream is opened again that brings nothing: for ever, in
	// effect, since many servers close idle ones.
	maxReconnects = 1 << 20
)

func newEndpoint(c config) (*endpoint, error) {
	address, err := url.Parse(c.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, errors.New("its address is not that of a web server: http://… or https://…")
	}
	e := &endpoint{address: address, headers: c.Headers, patient: reopenLimit, base: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialLimit}).DialContext,
		TLSHandshakeTimeout: dialLimit,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     time.Minute,
	}}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e, nil
}

func (e *endpoint) transport() sdk.Transport {
	if e.older {
		return &sdk.SSEClientTransport{
			Endpoint:     e.address.String(),
			HTTPClient:   &http.Client{Transport: e, CheckRedirect: e.follow},
			MaxEventSize: maxLine,
		}
	}
	return &sdk.StreamableClientTransport{
		Endpoint:     e.address.String(),
		HTTPClient:   &http.Client{Transport: e, CheckRedirect: e.follow},
		MaxRetries:   maxReconnects,
		MaxEventSize: maxLine,
	}
}

func (e *endpoint) hangUp() { e.cancel() }

// close notifies the server, if it accepts that, that the session is over.
func (e *endpoint) close(session *sdk.ClientSession, limit time.Duration) string {
	if session != nil {
		stop := time.AfterFunc(limit, e.cancel)
		_ = session.Close()
		stop.Stop()
	}
	e.cancel()
	(&http.Client{Transport: e.base}).CloseIdleConnections()
	return ""
}

// follow refuses redirects that would carry headers and arguments somewhere else.
func (e *endpoint) follow(r *http.Request, via []*http.Request) error {
	if len(via) >= maxHops {
		return errors.New("the server redirects without end")
	}
	if !e.isOwn(r.URL) {
		return fmt.Errorf("the server redirects to %s://%s, which is not followed: if that is right, configure it", r.URL.Scheme, r.URL.Host)
	}
	return nil
}

// isOwn reports whether u is on the server that was configured, and as safe.
func (e *endpoint) isOwn(u *url.URL) bool {
	if u.Scheme == e.address.Scheme {
		return u.Host == e.address.Host
	}
	return u.Scheme == "https" && u.Hostname() == e.address.Hostname() && cmp.Or(u.Port(), "443") == "443"
}

// RoundTrip adds the headers and bounds what comes back.
func (e *endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	whole := r.Context()
	if e.older && r.Method == http.MethodGet {
		whole = context.WithoutCancel(whole) // it is of the start, and the stream outlives that
	}
	ctx, cancel := context.WithCancelCause(whole)
	unlink := context.AfterFunc(e.ctx, func() { cancel(errLinkEnded) })
	end := func() {
		unlink()
		cancel(nil)
	}
	r = r.Clone(ctx) // a RoundTripper does not change what it is given
	for name, value := range e.headers {
		r.Header.Set(name, value)
	}
	var patience *time.Timer
	if r.Method == http.MethodGet && !e.older && e.stream.CompareAndSwap(false, true) {
		patience = time.AfterFunc(streamLimit, func() { cancel(errNoStream) })
		defer patience.Stop()
	}
	response, err := e.send(r)
	if patience != nil && !patience.Stop() && context.Cause(ctx) == errNoStream {
		if err == nil {
			response.Body.Close()
		}
		end()
		return noStream(r), nil
	}
	d := deliveryOf(r.Context())
	if err != nil {
		end()
		if r.Method == http.MethodGet {
			d.broke(e.patient)
		}
		return nil, err
	}
	d.reached()
	response.Body = newBody(response, end, d)
	if err := e.judge(response, d); err != nil {
		response.Body.Close()
		return nil, err
	}
	return response, nil
}

var errNoStream = errors.New("no stream began")

// noStream returns the answer of a server that has no stream of its own. Some that have one say
// nothing at all before the first event.
func noStream(r *http.Request) *http.Response {
	return &http.Response{
		Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: r,
	}
}

// A body is a response's, of at most maxLine bytes unless it is a stream.
type body struct {
	io.Reader
	from io.Closer
	end  func()
}

func newBody(r *http.Response, end func(), d *delivery) *body {
	b := &body{Reader: r.Body, from: r.Body, end: end}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isStream := strings.EqualFold(kind, "text/event-stream")
	if !isStream {
		b.Reader = http.MaxBytesReader(nil, r.Body, maxLine)
	}
	if r.StatusCode < 300 {
		b.Reader = newAdjustedBody(b.Reader, isStream, d.scope())
	}
	return b
}

// Close ends the request.
func (b *body) Close() error {
	b.end()
	return b.from.Close()
}
