package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/mcp/oauth"
	"parley.dev/parley/internal/tool"
)

// older serves a sound server of the transport of 2024-11-05, which refuses messages at its address with
// a status. wrap may be nil.
func older(t *testing.T, status int, wrap func(http.Handler) http.Handler) (tool.Server, *httptest.Server) {
	t.Helper()
	s := newServer()
	ended := make(chan struct{})
	s.AddTool(&sdk.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1})
		<-ended // the library does not cancel it when its stream is cut
		return &sdk.CallToolResult{}, nil
	})
	inner := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && !r.URL.Query().Has("sessionid") {
			http.Error(w, "no", status)
			return
		}
		inner.ServeHTTP(w, r)
	})
	if wrap != nil {
		handler = wrap(handler)
	}
	h := httptest.NewServer(handler)
	t.Cleanup(func() {
		close(ended)
		h.CloseClientConnections()
		h.Close()
	})
	return tool.Server{Name: "srv", URL: h.URL + "/sse", Headers: map[string]string{"X-Key": secret}}, h
}

// TestOlderTransport checks the transport of 2024-11-05: as it is configured, and where the server refuses
// messages at its address. Its stream outlives the start, and a call ends with it.
func TestOlderTransport(t *testing.T) {
	for _, test := range []struct {
		status     int
		configured bool
	}{{400, false}, {404, false}, {405, false}, {404, true}} {
		t.Run(fmt.Sprint(test.status, test.configured), func(t *testing.T) {
			var posts, keyless atomic.Int64
			s, h := older(t, test.status, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost && !r.URL.Query().Has("sessionid") {
						posts.Add(1)
					}
					if r.Header.Get("X-Key") != secret {
						keyless.Add(1)
					}
					next.ServeHTTP(w, r)
				})
			})
			s.SSE = test.configured
			b := newBench(t, nil)
			v := b.visit(s)
			if n := len(v.names()); n != 17 {
				t.Fatalf("%d tools", n)
			}
			for range 2 {
				if got := v.run("echo", `{"text":"x"}`).Text; got != "x" {
					t.Error(got)
				}
			}
			if tried := posts.Load() != 0; tried == test.configured || keyless.Load() != 0 {
				t.Errorf("%d messages to the address, %d requests without headers", posts.Load(), keyless.Load())
			}
			var cut sync.Once
			r := v.prepare("wait", `{}`).Run(t.Context(), hooks(func(float64, float64, string) { cut.Do(h.CloseClientConnections) }))
			if !r.IsError || !strings.Contains(r.Text, "whether the call had effects is not known") {
				t.Errorf("%+v", r)
			}
			v.await(event.ServerFailed)
			if got := v.run("echo", `{"text":"again"}`).Text; got != "again" {
				t.Error(got)
			}
		})
	}
}

// TestOlderTransportFails checks that a server of no transport is reported with its first refusal.
func TestOlderTransportFails(t *testing.T) {
	h := httptest.NewServer(http.NotFoundHandler())
	defer h.Close()
	b := newBench(t, nil)
	for _, sse := range []bool{false, true} {
		_, err := b.Test(t.Context(), tool.Server{Name: "srv", URL: h.URL + "/mcp", SSE: sse}, b.dir)
		if err == nil || !strings.HasPrefix(err.Error(), "HTTP 404 Not Found: 404 page not found") {
			t.Error(err)
		}
	}
}

// TestOlderTransportForeignAddress checks that messages go to no other host, whatever the server names.
func TestOlderTransportForeignAddress(t *testing.T) {
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Store(true) }))
	defer other.Close()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", other.URL)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer h.Close()
	b := newBench(t, nil)
	_, err := b.Test(t.Context(), tool.Server{Name: "srv", URL: h.URL + "/sse", SSE: true, Headers: map[string]string{"Authorization": "Bearer " + secret}}, b.dir)
	if err == nil || !strings.Contains(err.Error(), "an address on another host") || leaked.Load() {
		t.Errorf("leaked %v, %v", leaked.Load(), err)
	}
}

// TestOlderTransportSignIn checks that its requests have the token of the user.
func TestOlderTransportSignIn(t *testing.T) {
	b, p, server := protected(t)
	s := newServer()
	p.Next = sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
	for _, sse := range []bool{true, false} {
		server.SSE = sse
		if _, err := b.Test(t.Context(), server, b.dir); err == nil || err.Error() != wants {
			t.Errorf("sse %v: %v", sse, err)
		}
		b.login(server)
		if r, err := b.Test(t.Context(), server, b.dir); err != nil || len(r.Tools) != 16 {
			t.Errorf("sse %v: %d tools, %v", sse, len(r.Tools), err)
		}
		if _, err := b.options.SignIn.Logout(oauth.Server{URL: server.URL}); err != nil {
			t.Error(err)
		}
	}
}
