package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// web serves a sound server; wrap may be nil.
func web(t *testing.T, wrap func(http.Handler) http.Handler) tool.Server {
	t.Helper()
	s := newServer()
	var handler http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	if wrap != nil {
		handler = wrap(handler)
	}
	h := httptest.NewServer(handler)
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		for session := range s.Sessions() { // those that were not ended
			session.Close()
		}
	})
	return tool.Server{Name: "srv", URL: h.URL + "/mcp?key=" + secret, Headers: map[string]string{"Authorization": "Bearer " + secret}}
}

func TestToolsOverHTTP(t *testing.T) {
	var unauthorized atomic.Int64
	s := web(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+secret || r.URL.Query().Get("key") != secret {
				unauthorized.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	})
	b := newBench(t, nil)
	v := b.visit(s)
	if got := len(v.names()); got != 16 {
		t.Errorf("%d tools", got)
	}
	if got := v.run("echo", `{"text":"x"}`).Text; got != "x" {
		t.Error(got)
	}
	if got := v.run("add", `{"A":1,"B":2}`).Text; got != `{"sum":3}` {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if r := v.prepare("hang", `{}`).Run(ctx, hooks(func(float64, float64, string) { cancel() })); r.Text != "[interrupted]" {
		t.Errorf("%+v", r)
	}
	if r := v.run("roots", `{}`); r.Text != "" { // a remote server does not receive folders
		t.Errorf("%+v", r)
	}
	before := len(v.names())
	v.run("grow", `{}`)
	v.awaitGrown(before)
	if n := unauthorized.Load(); n > 0 {
		t.Errorf("%d requests without headers", n)
	}
}

// TestRedirects: those on the same server are followed, others are not, and get no header.
func TestRedirects(t *testing.T) {
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Store(true) }))
	defer other.Close()
	s := web(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/away":
				http.Redirect(w, r, other.URL+"/mcp?key="+secret, http.StatusTemporaryRedirect)
			case "/round":
				http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
			case "/here":
				http.Redirect(w, r, "/mcp?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
			default:
				next.ServeHTTP(w, r)
			}
		})
	})
	b := newBench(t, nil)
	for path, want := range map[string]string{"/away": "redirects to http://127.0.0.1", "/round": "redirects without end", "/here": ""} {
		to := s
		to.URL = strings.Replace(s.URL, "/mcp", path, 1)
		_, err := b.Test(t.Context(), to, b.dir)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if leaked.Load() {
		t.Error("another host was asked")
	}
}

// TestOwnHost: what counts as the server that was configured.
func TestOwnHost(t *testing.T) {
	for _, test := range []struct {
		configured, to string
		want           bool
	}{
		{"https://a/x", "https://a/y", true},
		{"https://a/x", "https://b/x", false},
		{"https://a/x", "http://a/x", false},
		{"http://a/x", "https://a/x", true},
		{"http://a:80/x", "https://a:443/x", true},
		{"http://a/x", "https://a:8443/x", false},
		{"http://a:1/x", "http://a:2/x", false},
	} {
		e, err := newEndpoint(config{URL: test.configured})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, test.to, nil)
		if got := e.isOwn(r.URL); got != test.want {
			t.Errorf("%s to %s: %v", test.configured, test.to, got)
		}
		e.close(nil, 0)
	}
}

func TestHTTPStartFailures(t *testing.T) {
	for _, test := range []struct {
		name   string
		handle http.HandlerFunc
		want   string
	}{
		{"unauthorized", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://x/y"`)
			http.Error(w, `{"error":"invalid_token","error_description":"Missing Authorization header"}`, http.StatusUnauthorized)
		}, `HTTP 401 Unauthorized: Missing Authorization header; the server refuses the token in the setting headers`},
		{"not found", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such page", http.StatusNotFound) }, "HTTP 404 Not Found: no such page"},
		{"overloaded", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"too busy"}}`, http.StatusServiceUnavailable)
		}, "HTTP 503 Service Unavailable: too busy"},
		{"hang", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else the end of the connection is not seen
			<-r.Context().Done()
		}, "not ready within 300ms"},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("<html>"))
		}, "failed to decode"},
		{"flood", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			chunk := []byte(strings.Repeat("[", 1<<20))
			for range maxLine>>20 + 1 {
				_, _ = w.Write(chunk)
			}
		}, "too large"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := httptest.NewServer(test.handle)
			defer h.Close()
			b := newBench(t, func(o *Options) { o.QuitLimit = 10 * time.Millisecond })
			s := tool.Server{URL: h.URL, StartLimit: 300 * time.Millisecond}
			if test.name == "flood" {
				s.StartLimit = patience
			}
			if _, err := b.Test(t.Context(), s, b.dir); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			b.Close()
		})
	}
	b := newBench(t, nil)
	if _, err := b.Test(t.Context(), tool.Server{URL: "http://127.0.0.1:1/" + "?key=" + secret}, b.dir); err == nil ||
		!strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}

// TestForgetfulServer: a server that was restarted and knows no session any more gets the call
// again in a new session, once.
func TestForgetfulServer(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(http.ResponseWriter)
		times  int64
		want   string
	}{
		{"404", func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }, 1, "x"},
		{"404 with an error", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}`)
		}, 1, "x"},
		{"400", func(w http.ResponseWriter) {
			http.Error(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`, http.StatusBadRequest)
		}, 1, "x"},
		{"always", func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }, 2, "did not run the call of echo"},
		{"another 400", func(w http.ResponseWriter) { http.Error(w, "the desk is closed", http.StatusBadRequest) }, 1, "HTTP 400 Bad Request: the desk is closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var left, calls atomic.Int64
			s := web(t, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					if strings.Contains(string(body), `"tools/call"`) {
						calls.Add(1)
						if left.Add(-1) >= 0 {
							test.answer(w)
							return
						}
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					next.ServeHTTP(w, r)
				})
			})
			v := newBench(t, nil).visit(s)
			echo := v.prepare("echo", `{"text":"x"}`)
			left.Store(test.times)
			if r := run(t.Context(), t, echo); !strings.Contains(r.Text, test.want) {
				t.Errorf("%+v", r)
			}
			if want := int64(2); test.name != "another 400" && calls.Load() != want {
				t.Errorf("%d calls, want %d", calls.Load(), want)
			}
			if r := run(t.Context(), t, echo); r.Text != "x" {
				t.Errorf("%+v", r)
			}
			for len(v.news) > 0 {
				if e := <-v.news; e.Status == event.ServerFailed {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// TestServerDiesDuringCall: the call fails when its stream cannot be opened again for some time.
func TestServerDiesDuringCall(t *testing.T) {
	server := sdk.NewServer(&sdk.Implementation{Name: "test server"}, nil)
	release := make(chan struct{})
	server.AddTool(&sdk.Tool{Name: "hang", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1})
		<-release
		return &sdk.CallToolResult{}, nil
	})
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{EventStore: sdk.NewMemoryEventStore(nil)}))
	t.Cleanup(func() {
		close(release)
		for session := range server.Sessions() {
			session.Close()
		}
	})
	b := newBench(t, func(o *Options) { o.QuitLimit = 10 * time.Millisecond })
	b.reopen = 100 * time.Millisecond
	v := b.visit(tool.Server{Name: "srv", URL: h.URL})
	hang := v.prepare("hang", `{}`)
	r := hang.Run(t.Context(), hooks(func(float64, float64, string) {
		h.CloseClientConnections()
		h.Listener.Close()
	}))
	if !r.IsError || !strings.Contains(r.Text, "cannot be reached any more since hang was called; whether the call had effects is not known") {
		t.Errorf("%+v", r)
	}
	if problem := v.await(event.ServerFailed); !strings.Contains(problem, "cannot be reached") {
		t.Errorf("%q", problem)
	}
}

// TestReopenLimit: the time runs from the first failure, and ends with a success.
func TestReopenLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := make(chan error, 1)
		d := &delivery{lose: func(err error) { lost <- err }}
		after := func(wait time.Duration) {
			<-time.After(wait)
			synctest.Wait()
		}
		d.broke(reopenLimit)
		after(reopenLimit - time.Second)
		d.reached()
		d.broke(reopenLimit)
		after(reopenLimit - time.Second)
		d.broke(reopenLimit)
		if len(lost) > 0 {
			t.Error("the call ended too early")
		}
		after(time.Second)
		if len(lost) == 0 || <-lost != errUnreachable {
			t.Error("the call did not end")
		}
	})
}

// TestSilentStream: a server that sends no header for its own stream does not delay the start
// beyond a limit, and is used without one.
func TestSilentStream(t *testing.T) {
	s := web(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	v := newBench(t, nil).visit(s)
	if got := v.run("echo", `{"text":"x"}`).Text; got != "x" {
		t.Error(got)
	}
}

// TestCutStream: a call whose stream breaks ends at once, and the server can be used on.
func TestCutStream(t *testing.T) {
	s := web(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), `"hang"`) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		})
	})
	v := newBench(t, nil).visit(s)
	if r := v.run("hang", `{}`); !r.IsError || !strings.Contains(r.Text, "the call of hang of the tool server srv failed") {
		t.Errorf("%+v", r)
	}
	if r := v.run("echo", `{"text":"x"}`); r.Text != "x" {
		t.Errorf("%+v", r)
	}
}
