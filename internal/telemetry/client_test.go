package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/telemetry/target"
)

// A refusal answers requests with one status after the other, and then accepts them.
type refusal struct {
	codes []int
	after string // Retry-After
	times []time.Time
	body  string // of what is accepted
}

func (r *refusal) RoundTrip(request *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, request.Body)
	n := len(r.times)
	r.times = append(r.times, time.Now())
	code, header := http.StatusOK, http.Header{}
	if n < len(r.codes) {
		code = r.codes[n]
		header.Set("Retry-After", r.after)
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: header, Body: io.NopCloser(strings.NewReader(r.body))}, nil
}

// clientOf returns a client that reaches a collector by a transport, and what it logs.
func clientOf(t *testing.T, to target.Target, transport http.RoundTripper) (*client, *bytes.Buffer) {
	t.Helper()
	var text bytes.Buffer
	to.URL, to.Timeout = "http://collector.test/v1/traces", target.DefaultTimeout
	c, err := newClient(target.Traces, to, "test", slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	c.http.Transport = transport
	t.Cleanup(c.close)
	return c, &text
}

// TestRetry: what a collector refuses for now is sent again, as late as it asks for; what it refuses for good is not; and no
// longer than the timeout.
func TestRetry(t *testing.T) {
	for name, tt := range map[string]struct {
		codes     []int
		after     string
		requests  int
		least     time.Duration
		delivered bool
	}{
		"twice":          {[]int{503, 429}, "3", 3, 6 * time.Second, true},
		"a date":         {[]int{503}, "Sat, 01 Jan 2000 00:00:04 GMT", 2, 4 * time.Second, true}, // synctest begins at midnight
		"without a time": {[]int{502, 504}, "", 3, 0, true},
		"too late":       {[]int{503}, "30", 1, 0, false},
		"for good":       {[]int{400}, "1", 1, 0, false},
		"a redirect":     {[]int{307}, "", 1, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &refusal{codes: tt.codes, after: tt.after}
			c, text := clientOf(t, target.Target{}, r)
			begun := time.Now()
			c.send(t.Context(), []byte("x"))
			if took := time.Since(begun); len(r.times) != tt.requests || took < tt.least || took > target.DefaultTimeout {
				t.Errorf("%s: %d requests in %v, want %d in at least %v", name, len(r.times), took, tt.requests, tt.least)
			}
			if delivered := !strings.Contains(text.String(), "not delivered"); delivered != tt.delivered {
				t.Errorf("%s: delivered: %v\n%s", name, delivered, text)
			}
		})
	}
}

// TestEndOfRetries: when the process ends, a request that waits to be made again is dropped at once, and later ones are made once.
func TestEndOfRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &refusal{codes: []int{503, 503, 503}, after: "9"}
		c, _ := clientOf(t, target.Target{}, r)
		begun, sent := time.Now(), make(chan struct{})
		go func() {
			c.send(context.Background(), []byte("x"))
			close(sent)
		}()
		synctest.Wait()
		c.endRetries()
		<-sent
		c.send(t.Context(), []byte("y"))
		if took := time.Since(begun); took != 0 || len(r.times) != 2 {
			t.Errorf("%d requests in %v", len(r.times), took)
		}
	})
}

// TestWarnOnce: the user is warned once of a collector that fails, and again after it worked in between.
func TestWarnOnce(t *testing.T) {
	r := &refusal{codes: []int{400, 400, 200, 400}}
	c, text := clientOf(t, target.Target{}, r)
	for range r.codes {
		c.send(t.Context(), []byte("x"))
	}
	if n := strings.Count(text.String(), "level=WARN"); n != 2 || strings.Count(text.String(), "level=DEBUG") != 1 {
		t.Errorf("%d warnings:\n%s", n, text)
	}
}

// TestPartialSuccess: what a collector has rejected is logged with its reason, in both encodings.
func TestPartialSuccess(t *testing.T) {
	for name, tt := range map[string]struct {
		json bool
		body string
		want string
	}{
		"protobuf":  {false, "\x0a\x09\x08\x02\x12\x05no id", "rejected=2 reason=\"no id\""},
		"json":      {true, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no id"}}`, "rejected=2 reason=\"no id\""},
		"points":    {true, `{"partialSuccess":{"rejectedDataPoints":3}}`, "rejected=3"},
		"none":      {false, "", ""},
		"empty":     {true, `{"partialSuccess":{}}`, ""},
		"cut":       {false, "\x0a\xff\x08", ""},
		"not json":  {true, `<html>`, ""},
		"a group":   {false, "\x0b\x08\x01", ""},
		"long text": {false, "\x0a\x04\x12\xff\xff\x01x", ""},
	} {
		c, text := clientOf(t, target.Target{JSON: tt.json}, &refusal{body: tt.body})
		c.send(t.Context(), nil)
		if got := text.String(); strings.Contains(got, "rejected") != (tt.want != "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func FuzzPartialSuccess(f *testing.F) {
	f.Add([]byte("\x0a\x09\x08\x02\x12\x05no id"))
	f.Fuzz(func(_ *testing.T, response []byte) { partialSuccess(response, false) })
}

// TestRequest: a request has the headers and the encoding of the target, and another server does not receive them.
func TestRequest(t *testing.T) {
	var reached atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer other.Close()
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		if z, err := gzip.NewReader(r.Body); err == nil {
			body, _ = io.ReadAll(z)
		}
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	c, err := newClient(target.Traces, target.Target{URL: server.URL, Headers: map[string]string{"Authorization": "secret"}, Timeout: target.DefaultTimeout, Gzip: true, JSON: true}, "Parley/1", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	c.send(t.Context(), []byte("{}"))
	if h := got.Header; h.Get("Authorization") != "secret" || h.Get("User-Agent") != "Parley/1" || h.Get("Content-Type") != "application/json" ||
		h.Get("Content-Encoding") != "gzip" || string(body) != "{}" {
		t.Errorf("%v %q", got.Header, body)
	}
	if reached.Load() {
		t.Error("another server was called")
	}
}
