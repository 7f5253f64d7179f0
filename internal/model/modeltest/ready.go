package modeltest

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// counting is canned, and counts the requests.
type counting struct {
	canned
	sent atomic.Int64
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent.Add(1)
	return c.canned.RoundTrip(r)
}

// testReady: nothing leaves before the request is ready, nor when it never is.
func testReady(t *testing.T, s Subject) {
	cause := errors.New("the person said stop")
	for name, end := range map[string]func(ready chan struct{}, cancel context.CancelCauseFunc){
		"it is ready":  func(ready chan struct{}, _ context.CancelCauseFunc) { close(ready) },
		"it never was": func(_ chan struct{}, cancel context.CancelCauseFunc) { cancel(cause) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &counting{canned: canned(s.Wire.Render(Stream(Text("Hi"))))}
				p := s.New(Client{BaseURL: s.Wire.BaseURL("http://ready.invalid"), Key: Key, HTTP: &http.Client{Transport: transport}})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				ready := make(chan struct{})
				req := Hello()
				req.Ready = ready
				var out outcome
				go func() { out = collect(t, ctx, p, req, 0) }()
				synctest.Wait()
				if n := transport.sent.Load(); n != 0 {
					t.Errorf("%d requests left before", n)
				}
				end(ready, cancel)
				synctest.Wait()
				answered, n := out.response != nil, transport.sent.Load()
				if want := name == "it is ready"; answered != want || n != int64(len(out.deltas)) || !want && out.err != cause {
					t.Errorf("%d requests, %+v", n, out)
				}
			})
		})
	}
}
