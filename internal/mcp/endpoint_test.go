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
		for session := range s.Sessions() { // those that nobody has ended
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
	if r := v.run("roots", `{}`); r.Text != "" { // a remote server is not told of folders
		t.Errorf("%+v", r)
	}
	before := len(v.names())
	v.run("grow", `{}`)
	for limit := time.Now().Add(patience); len(v.names()) != before+1; {
		if time.Now().After(limit) {
			t.Fatal("the new tool is not offered")
		}
	}
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
		{"unauthorized", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "Unauthorized"},
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

// TestForgetfulServer: a server that was restarted and knows no session any more is
// connected again at the next call, without a pause.
func TestForgetfulServer(t *testing.T) {
	var forgetful atomic.Bool
	s := web(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Session-Id") != "" && forgetful.CompareAndSwap(true, false) {
				http.NotFound(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	v := newBench(t, nil).visit(s)
	echo := v.prepare("echo", `{"text":"x"}`)
	forgetful.Store(true)
	if r := run(t.Context(), t, echo); !r.IsError || !strings.Contains(r.Text, "was restarted and knew nothing of the call") {
		t.Errorf("%+v", r)
	}
	if r := run(t.Context(), t, echo); r.Text != "x" {
		t.Errorf("%+v", r)
	}
	for len(v.news) > 0 {
		if e := <-v.news; e.Status == event.ServerFailed {
			t.Errorf("%+v", e)
		}
	}
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
