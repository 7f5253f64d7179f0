package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/mcp/oauth"
	"parley.dev/parley/internal/mcp/oauth/oauthtest"
	"parley.dev/parley/internal/tool"
)

// protected returns a bench with sign-ins, and a sound server that wants one.
func protected(t *testing.T) (*bench, *oauthtest.Server, tool.Server) {
	t.Helper()
	s := newServer()
	p := oauthtest.New(t)
	p.Next = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	t.Cleanup(func() {
		p.CloseClientConnections()
		for session := range s.Sessions() {
			session.Close()
		}
	})
	manager := oauth.New(oauth.Options{Store: oauthtest.Store(t)})
	t.Cleanup(manager.Close)
	b := newBench(t, func(o *Options) { o.SignIn = manager })
	t.Cleanup(func() {
		if strings.Contains(b.log.String(), oauthtest.Mark) {
			t.Error("a token is in the log")
		}
	})
	return b, p, tool.Server{Name: "srv", Login: "notes", URL: p.Address()}
}

func (b *bench) login(server tool.Server) {
	b.t.Helper()
	_, err := b.options.SignIn.Login(b.t.Context(), oauth.Server{URL: server.URL}, oauth.LoginRequest{Show: func(address, _ string) {
		go func() { _, _ = oauthtest.Visit(address) }()
	}})
	if err != nil {
		b.t.Fatal(err)
	}
}

const wants = "it wants a sign-in: run `parley mcp login notes`"

// TestSignIn checks that a session learns that a server wants a sign-in, has its tools with the first request
// after that, and that a call is not lost when a token ends.
func TestSignIn(t *testing.T) {
	b, p, server := protected(t)
	v := b.visit(server)
	if names := v.names(); len(names) != 0 {
		t.Errorf("tools without a sign-in: %q", names)
	}
	if problem := v.await(event.ServerFailed); problem != wants {
		t.Errorf("the status says %q", problem)
	}
	if text := v.Source.(*source).Instructions(); !strings.Contains(text, "cannot be used: "+wants) {
		t.Errorf("the model reads %q", text)
	}
	if _, err := b.Test(t.Context(), server, b.dir); err == nil || err.Error() != wants {
		t.Error(err)
	} else if wanted, ok := errors.AsType[*SignInError](err); !ok || wanted.Login != "notes" {
		t.Errorf("%T %v", err, err)
	}
	for range maxFails { // however often it failed
		v.names()
	}
	b.login(server)
	if n := len(v.names()); n != 16 {
		t.Fatalf("%d tools after the sign-in", n)
	}
	if r := v.run("echo", `{"text":"x"}`); r.Text != "x" {
		t.Errorf("%+v", r)
	}
	p.Revoke()
	if r := v.run("echo", `{"text":"y"}`); r.Text != "y" { // it was renewed, and the request sent once more
		t.Errorf("%+v", r)
	}
	p.Token = func(_ url.Values, m map[string]any) int {
		clear(m)
		m["error"] = "invalid_grant"
		return 400
	}
	p.Revoke()
	call := v.prepare("echo", `{"text":"z"}`)
	if r := run(t.Context(), t, call); !r.IsError || r.Text != "the tool server srv did not run the call of echo: "+wants {
		t.Errorf("%+v", r)
	}
	p.Token = nil
	b.login(server)
	if r := run(t.Context(), t, call); r.Text != "z" {
		t.Errorf("%+v", r)
	}
}

// TestStepUp checks that a call that the token does not suffice for names the scopes, and that the next sign-in
// requests them.
func TestStepUp(t *testing.T) {
	b, p, server := protected(t)
	next := p.Next
	var strict atomic.Bool
	p.Next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strict.Load() {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="notes:write"`)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"no"}}`))
			return
		}
		next.ServeHTTP(w, r)
	})
	b.login(server)
	v := b.visit(server)
	call := v.prepare("echo", `{"text":"x"}`)
	strict.Store(true)
	want := "it wants a sign-in with the scopes notes:write: run `parley mcp login notes`"
	if r := run(t.Context(), t, call); !r.IsError || !strings.HasSuffix(r.Text, want) {
		t.Errorf("%+v", r)
	}
	strict.Store(false)
	b.login(server)
	forms := p.Forms()
	if scope := forms[len(forms)-2].Get("scope"); scope != "notes notes:write" {
		t.Errorf("the sign-in requests %q", scope)
	}
	if r := run(t.Context(), t, call); r.Text != "x" {
		t.Errorf("%+v", r)
	}
}

// TestTokenStaysHome checks that a token goes to its server only, and is hidden where that repeats it.
func TestTokenStaysHome(t *testing.T) {
	b, p, server := protected(t)
	b.login(server)
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			leaked.Store(true)
		}
	}))
	defer other.Close()
	if _, err := b.Test(t.Context(), tool.Server{Name: "other", URL: other.URL + "/mcp"}, b.dir); err == nil {
		t.Error("it is no server")
	}
	p.Next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if _, err := b.Test(t.Context(), server, b.dir); err == nil || !strings.Contains(err.Error(), "redirects to") {
		t.Error(err)
	}
	if leaked.Load() {
		t.Error("another host got a token")
	}
	p.Next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "bad "+r.Header.Get("Authorization"), http.StatusInternalServerError)
	})
	fresh := server
	fresh.CallLimit, fresh.Secrets = 1, []string{"another-peer"}
	if _, err := b.Test(t.Context(), fresh, b.dir); err == nil || !strings.Contains(err.Error(), "bad Bearer [hidden]") {
		t.Error(err)
	}
}

// TestConfiguredTokenRefused checks that a server with a token in its configuration is not signed in to.
func TestConfiguredTokenRefused(t *testing.T) {
	b, _, server := protected(t)
	b.login(server)
	server.Headers = map[string]string{"authorization": "Bearer " + secret}
	_, err := b.Test(context.Background(), server, b.dir)
	if err == nil || !strings.Contains(err.Error(), "refuses the token in the setting headers") || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}
