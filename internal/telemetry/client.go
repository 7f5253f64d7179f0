package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/telemetry/otlp"
	"parley.dev/parley/internal/telemetry/target"
)

// maxResponse is how many bytes of a response are read.
const maxResponse = 64 << 10

// A client sends requests of one signal to a collector. It retries what may succeed later, until the timeout of the target.
type client struct {
	signal target.Signal
	target target.Target
	http   *http.Client
	log    *slog.Logger
	warned atomic.Bool // the last request failed, and the user knows

	retrying context.Context // until the process ends: then no request is made again
	noRetry  context.CancelFunc
	open     context.Context // until close, which aborts the request that runs
	abort    context.CancelFunc
}

// newClient returns a client. The error names the file that cannot be used.
func newClient(s target.Signal, t target.Target, userAgent string, log *slog.Logger) (*client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1
	if t.Certificate != "" {
		pem, err := regular.ReadFile(t.Certificate, 1<<20)
		if err != nil {
			return nil, fmt.Errorf("certificate of the collector: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificate of the collector: %s has no certificate in PEM", t.Certificate)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	headers := map[string]string{"User-Agent": userAgent}
	for name, value := range t.Headers {
		headers[name] = value
	}
	t.Headers = headers
	c := &client{signal: s, target: t, log: log, http: &http.Client{
		Transport: transport,
		// The headers of the target may be secrets, which another server must not receive.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	c.retrying, c.noRetry = context.WithCancel(context.Background())
	c.open, c.abort = context.WithCancel(context.Background())
	return c, nil
}

// endRetries has requests made once from now on, also the one that waits to be made again.
func (c *client) endRetries() { c.noRetry() }

// close aborts what runs.
func (c *client) close() {
	c.noRetry()
	c.abort()
	c.http.CloseIdleConnections()
}

// sendMessage sends a message of OTLP in the encoding of the target.
func (c *client) sendMessage(ctx context.Context, message any) {
	if !c.target.JSON {
		c.send(ctx, otlp.Protobuf(message))
		return
	}
	body, err := otlp.JSON(message)
	if err != nil {
		c.log.Error("telemetry cannot be encoded", "error", err)
		return
	}
	c.send(ctx, body)
}

// send sends a body, and handles what comes of it: there is no caller that could do something about a collector that fails.
func (c *client) send(ctx context.Context, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, c.target.Timeout)
	defer cancel()
	defer context.AfterFunc(c.open, cancel)()
	response, err := c.deliver(ctx, body)
	if err != nil {
		level := slog.LevelDebug
		if c.warned.CompareAndSwap(false, true) {
			level = slog.LevelWarn
		}
		c.log.Log(ctx, level, "telemetry is not delivered", "signal", string(c.signal), "error", err)
		return
	}
	c.warned.Store(false)
	if rejected, reason := partialSuccess(response, c.target.JSON); rejected > 0 || reason != "" {
		c.log.Warn("the collector has rejected telemetry", "signal", string(c.signal), "rejected", rejected, "reason", reason)
	}
}

const (
	firstRetry   = 500 * time.Millisecond // before a request is made again for the first time
	longestRetry = time.Minute
)

// deliver makes a request until the collector takes it, and returns the last error if it may not be made again, or not before the
// deadline of ctx.
func (c *client) deliver(ctx context.Context, body []byte) ([]byte, error) {
	for delay := firstRetry; ; delay = min(delay*3/2, longestRetry) {
		response, err := c.post(ctx, body)
		if err == nil {
			return response, nil
		}
		wait := delay/2 + rand.N(delay)
		if refused, ok := errors.AsType[postError](err); ok && refused.final {
			return nil, err
		} else if ok && refused.after >= 0 {
			wait = refused.after
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
			return nil, err
		}
		waited := time.NewTimer(wait)
		select {
		case <-waited.C:
		case <-ctx.Done():
			return nil, err
		case <-c.retrying.Done():
			waited.Stop()
			return nil, err
		}
	}
}

// A postError is the error of a request that the collector did not take.
type postError struct {
	error
	final bool          // the request must not be made again
	after time.Duration // how long the collector wants to be left alone; negative: it has not said
}

func (e postError) Unwrap() error { return e.error }

// post makes one request. The error is a postError if the collector answered, or there is no such request.
func (c *client) post(ctx context.Context, body []byte) ([]byte, error) {
	request, err := c.request(ctx, body)
	if err != nil {
		return nil, postError{error: err, final: true}
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // it was read
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	code := response.StatusCode
	if code/100 == 2 {
		return answer, err
	}
	refused := postError{error: fmt.Errorf("the collector answered %s", response.Status), after: -1}
	switch code {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if seconds, ok := retryAfter(response.Header.Get("Retry-After"), time.Now()); ok {
			refused.after = time.Duration(seconds) * time.Second
		}
	default:
		refused.final = true
	}
	return nil, refused
}

// retryAfter returns the seconds of the header of that name, which is a number of them or a time.
func retryAfter(header string, now time.Time) (seconds int, ok bool) {
	if n, err := strconv.Atoi(header); err == nil && n >= 0 {
		return n, true
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return max(0, int(at.Sub(now)/time.Second)+1), true
}

// request returns the request for a body.
func (c *client) request(ctx context.Context, body []byte) (*http.Request, error) {
	encoding := ""
	if c.target.Gzip {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write(body)
		if err = errors.Join(err, z.Close()); err != nil {
			return nil, fmt.Errorf("compress telemetry: %w", err)
		}
		body, encoding = b.Bytes(), "gzip"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range c.target.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	if c.target.JSON {
		request.Header.Set("Content-Type", "application/json")
	}
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	return request, nil
}
