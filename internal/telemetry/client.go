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
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"parley.dev/parley/internal/regular"
)

// maxResponse is how many bytes of a response are read.
const maxResponse = 64 << 10

// A client sends requests of one signal to a collector. It retries what may succeed later, until the timeout of the target.
type client struct {
	signal signal
	target target
	http   *http.Client
	log    *slog.Logger
	warned atomic.Bool // the last request failed, and the user knows

	retrying context.Context // until the process ends: then no request is made again
	noRetry  context.CancelFunc
	open     context.Context // until close, which aborts the request that runs
	abort    context.CancelFunc
}

// newClient returns a client. The error names the file that cannot be used.
func newClient(s signal, t target, userAgent string, log *slog.Logger) (*client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1
	if t.certificate != "" {
		pem, err := regular.ReadFile(t.certificate, 1<<20)
		if err != nil {
			return nil, fmt.Errorf("certificate of the collector: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificate of the collector: %s has no certificate in PEM", t.certificate)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	headers := map[string]string{"User-Agent": userAgent}
	for name, value := range t.headers {
		headers[name] = value
	}
	t.headers = headers
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

// send sends a body, and handles what comes of it: there is no caller that could do something about a collector that fails.
func (c *client) send(ctx context.Context, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, c.target.timeout)
	defer cancel()
	defer context.AfterFunc(c.open, cancel)()
	waiting, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(c.retrying, end)()
	var last error // of the last request: Retry returns why it was not made again
	response, err := backoff.Retry(waiting, func() (response []byte, err error) {
		response, last = c.post(ctx, body)
		return response, last
	}, backoff.WithBackOff(backoff.NewExponentialBackOff()), backoff.WithMaxElapsedTime(c.target.timeout))
	if err != nil {
		level := slog.LevelDebug
		if c.warned.CompareAndSwap(false, true) {
			level = slog.LevelWarn
		}
		c.log.Log(ctx, level, "telemetry is not delivered", "signal", string(c.signal), "error", last)
		return
	}
	c.warned.Store(false)
	if rejected, reason := partialSuccess(response, c.target.json); rejected > 0 || reason != "" {
		c.log.Warn("the collector has rejected telemetry", "signal", string(c.signal), "rejected", rejected, "reason", reason)
	}
}

// post makes one request. The error is permanent if it must not be made again.
func (c *client) post(ctx context.Context, body []byte) ([]byte, error) {
	request, err := c.request(ctx, body)
	if err != nil {
		return nil, backoff.Permanent(err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // it was read
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	switch code := response.StatusCode; {
	case code/100 == 2:
		return answer, err
	case code != http.StatusTooManyRequests && code != http.StatusBadGateway && code != http.StatusServiceUnavailable && code != http.StatusGatewayTimeout:
		return nil, backoff.Permanent(fmt.Errorf("the collector answered %s", response.Status))
	}
	if seconds, ok := retryAfter(response.Header.Get("Retry-After"), time.Now()); ok {
		return nil, fmt.Errorf("the collector answered %s: %w", response.Status, backoff.RetryAfter(seconds))
	}
	return nil, fmt.Errorf("the collector answered %s", response.Status)
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
	if c.target.gzip {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write(body)
		if err = errors.Join(err, z.Close()); err != nil {
			return nil, fmt.Errorf("compress telemetry: %w", err)
		}
		body, encoding = b.Bytes(), "gzip"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range c.target.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	if c.target.json {
		request.Header.Set("Content-Type", "application/json")
	}
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	return request, nil
}
