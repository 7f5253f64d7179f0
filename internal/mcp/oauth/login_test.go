package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley.dev/parley/internal/mcp/oauth/oauthtest"
	"parley.dev/parley/internal/signin"
)

const patience = 5 * time.Minute

// A user is a Manager, and what the user saw.
type user struct {
	*Manager
	t    testing.TB
	seen []string // addresses that were opened, and pages
	mu   sync.Mutex
}

func newUser(t testing.TB, change func(*Options)) *user {
	t.Helper()
	o := Options{Store: oauthtest.Store(t), Version: "9"}
	if change != nil {
		change(&o)
	}
	u := &user{Manager: New(o), t: t}
	t.Cleanup(u.Close)
	return u
}

// login signs in with a browser that agrees, and fails if an error or a page has a secret.
func (u *user) login(s Server, scopes ...string) (Account, error) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), patience)
	defer cancel()
	var pages sync.WaitGroup
	defer pages.Wait()
	a, err := u.Login(ctx, s, LoginRequest{Scopes: scopes, Show: func(address, _ string) {
		pages.Go(func() {
			page, _ := oauthtest.Visit(address)
			u.mu.Lock()
			u.seen = append(u.seen, address, page)
			u.mu.Unlock()
		})
	}})
	pages.Wait()
	for _, text := range append(slices.Clone(u.seen), fmt.Sprint(err), fmt.Sprintf("%+v", u.Manager)) {
		if strings.Contains(text, oauthtest.Mark) {
			u.t.Errorf("a secret is shown: %s", text)
		}
	}
	return a, err
}

func TestLogin(t *testing.T) {
	s := oauthtest.New(t)
	u := newUser(t, nil)
	server := Server{URL: s.Address()}
	a, err := u.login(server, "extra")
	if err != nil {
		t.Fatal(err)
	}
	if a.Issuer != s.URL || !slices.Equal(a.Scopes, []string{"notes", "extra"}) {
		t.Errorf("%+v", a)
	}
	token, err := u.Token(t.Context(), server)
	if err != nil || token != "access-1-"+oauthtest.Mark {
		t.Errorf("token %q, %v", token, err)
	}
	forms := s.Forms()
	if len(forms) != 2 {
		t.Fatalf("%d forms", len(forms))
	}
	for i, form := range forms {
		if form.Get("resource") != s.Address() || form.Get("client_id") != "registered" {
			t.Errorf("form %d: %v", i, form)
		}
	}
	if f := forms[0]; f.Get("code_challenge_method") != "S256" || f.Get("state") == "" || f.Get("scope") != "notes extra" || !strings.HasPrefix(f.Get("redirect_uri"), "http://127.0.0.1:") {
		t.Errorf("%v", f)
	}
	if another, err := u.Token(t.Context(), Server{URL: s.URL + "/other"}); another != "" || err != nil {
		t.Errorf("another server gets %q, %v", another, err)
	}
	if same, err := u.Token(t.Context(), Server{URL: s.Address() + "?project=x"}); same != token || err != nil { // as messages name it
		t.Errorf("with a query it gets %q, %v", same, err)
	}
	if _, in := u.SignedIn(Server{URL: s.Address(), ClientID: "mine"}); in {
		t.Error("a sign-in of another client counts")
	}
	if there, err := u.Logout(server); !there || err != nil {
		t.Errorf("%v, %v", there, err)
	}
	if _, in := u.SignedIn(server); in {
		t.Error("signed in after the sign-out")
	}
}

// TestAttacks checks that a sign-in ends with an error, and that no other server gets a code or a token, when a
// server or a redirect is hostile.
func TestAttacks(t *testing.T) {
	var leaked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked.Add(1)
		http.NotFound(w, r)
	}))
	defer other.Close()
	for _, test := range []struct {
		name  string
		setup func(*oauthtest.Server)
		want  string
	}{
		{"wrong state", func(s *oauthtest.Server) { s.Redirect = func(q url.Values) { q.Set("state", "x") } }, "state mismatch"},
		{"no state", func(s *oauthtest.Server) { s.Redirect = func(q url.Values) { q.Del("state") } }, "state mismatch"},
		{"another issuer", func(s *oauthtest.Server) { s.Redirect = func(q url.Values) { q.Set("iss", "https://evil.example") } }, "from another issuer, https://evil.example"},
		{"promised issuer is missing", func(s *oauthtest.Server) {
			s.Issuer = func(m map[string]any) { m["authorization_response_iss_parameter_supported"] = true }
		}, "does not name its issuer"},
		{"metadata of another issuer", func(s *oauthtest.Server) { s.Issuer = func(m map[string]any) { m["issuer"] = "https://evil.example" } }, "does not match issuer"},
		{"another resource", func(s *oauthtest.Server) {
			s.Resource = func(m map[string]any) { m["resource"] = "https://bank.example/mcp" }
		}, "for another resource, https://bank.example/mcp"},
		{"resource below", func(s *oauthtest.Server) {
			s.Resource = func(m map[string]any) { m["resource"] = s.Address() + "/more" }
		}, "for another resource"},
		{"authorization server on http", func(s *oauthtest.Server) {
			s.Resource = func(m map[string]any) { m["authorization_servers"] = []string{"http://id.example"} }
		}, "neither an https address"},
		{"token endpoint on http", func(s *oauthtest.Server) {
			s.Issuer = func(m map[string]any) { m["token_endpoint"] = "http://id.example/token" }
		}, "token_endpoint"},
		{"script as address", func(s *oauthtest.Server) {
			s.Issuer = func(m map[string]any) { m["authorization_endpoint"] = "javascript:alert(1)" }
		}, "authorization_endpoint"},
		{"file as address", func(s *oauthtest.Server) {
			s.Issuer = func(m map[string]any) { m["authorization_endpoint"] = "file:///bin/sh" }
		}, "authorization_endpoint"},
		{"no PKCE", func(s *oauthtest.Server) {
			s.Issuer = func(m map[string]any) { delete(m, "code_challenge_methods_supported") }
		}, "PKCE"},
		{"plain PKCE", func(s *oauthtest.Server) {
			s.Issuer = func(m map[string]any) { m["code_challenge_methods_supported"] = []string{"plain"} }
		}, "PKCE with S256"},
		{"metadata redirects away", func(s *oauthtest.Server) {
			s.Serve = func(w http.ResponseWriter, r *http.Request) bool {
				if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected") {
					http.Redirect(w, r, other.URL+"/x", http.StatusFound)
					return true
				}
				return false
			}
		}, "redirects to the host 127.0.0.1"},
		{"token endpoint redirects away", func(s *oauthtest.Server) {
			s.Serve = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/token" {
					http.Redirect(w, r, other.URL+"/x", http.StatusTemporaryRedirect)
					return true
				}
				return false
			}
		}, "gives no token: HTTP 307"},
		{"huge metadata", func(s *oauthtest.Server) {
			s.Resource = func(m map[string]any) { m["x"] = strings.Repeat("x", 2<<20) }
		}, "longer than 1 MiB"},
		{"huge metadata of the issuer", func(s *oauthtest.Server) {
			s.Issuer = func(m map[string]any) { m["aa"] = strings.Repeat("x", 2<<20) }
		}, "cannot be used"},
		{"no metadata of the issuer", func(s *oauthtest.Server) {
			s.Resource = func(m map[string]any) { m["authorization_servers"] = []string{s.URL + "/nothing"} }
		}, "has no metadata"},
		{"token of another type", func(s *oauthtest.Server) {
			s.Token = func(_ url.Values, m map[string]any) int { m["token_type"] = "DPoP"; return 200 }
		}, "type DPoP"},
		{"token that breaks a header", func(s *oauthtest.Server) {
			s.Token = func(_ url.Values, m map[string]any) int { m["access_token"] = "a\r\nX: y"; return 200 }
		}, "a token that cannot be used"},
		{"the user says no", func(s *oauthtest.Server) {
			s.Redirect = func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }
		}, "access_denied"},
		{"refusal repeats the code", func(s *oauthtest.Server) {
			s.Token = func(form url.Values, m map[string]any) int {
				clear(m)
				m["error"], m["error_description"] = "invalid_grant", "bad code "+form.Get("code")
				return 400
			}
		}, "invalid_grant: bad code [hidden]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := oauthtest.New(t)
			test.setup(s)
			u := newUser(t, nil)
			_, err := u.login(Server{URL: s.Address()})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if _, in := u.SignedIn(Server{URL: s.Address()}); in {
				t.Error("the user is signed in")
			}
		})
	}
	if n := leaked.Load(); n != 0 {
		t.Errorf("another host got %d requests", n)
	}
}

// TestPrivateAuthorizationServer checks that a server of the open Internet cannot name one in the user's network.
func TestPrivateAuthorizationServer(t *testing.T) {
	var reached atomic.Bool
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer inside.Close()
	s := oauthtest.New(t)
	s.Resource = func(m map[string]any) {
		m["resource"], m["authorization_servers"] = s.Localhost(), []string{inside.URL}
	}
	for _, private := range []bool{false, true} {
		reached.Store(false)
		u := newUser(t, func(o *Options) { o.Resolve, o.Private = oauthtest.Public, private })
		_, err := u.login(Server{URL: s.Localhost()})
		if err == nil || reached.Load() != private || !private && !strings.Contains(err.Error(), "of a private network") {
			t.Errorf("private %v: reached %v, %v", private, reached.Load(), err)
		}
	}
}

// TestLoginWithoutMetadata checks the fallback of the version 2025-03-26, and a server that wants no sign-in.
func TestLoginWithoutMetadata(t *testing.T) {
	s := oauthtest.New(t)
	s.Missing = true
	s.Scope = "a b"
	u := newUser(t, nil)
	a, err := u.login(Server{URL: s.Address()})
	if err != nil || !slices.Equal(a.Scopes, []string{"a", "b"}) {
		t.Errorf("%+v, %v", a, err)
	}
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" {
			http.NotFound(w, r)
		}
	}))
	defer open.Close()
	if _, err := u.login(Server{URL: open.URL + "/mcp"}); !errors.Is(err, ErrNotWanted) {
		t.Error(err)
	}
	if _, err := u.login(Server{URL: "http://example.com/mcp"}); err == nil || !strings.Contains(err.Error(), "in the clear") {
		t.Error(err)
	}
}

// TestFirstRequest checks that the challenge is found where a server redirects, or takes no messages.
func TestFirstRequest(t *testing.T) {
	for _, status := range []int{http.StatusTemporaryRedirect, http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed} {
		s := oauthtest.New(t)
		s.Missing = true // else the challenge is not needed
		s.Scope = "x"
		s.Serve = func(w http.ResponseWriter, r *http.Request) bool {
			switch {
			case r.URL.Path != "/mcp", r.Method == http.MethodGet, r.URL.RawQuery != "":
				return false
			case status == http.StatusTemporaryRedirect:
				http.Redirect(w, r, "/mcp?x", status)
			default:
				w.WriteHeader(status)
			}
			return true
		}
		if a, err := newUser(t, nil).login(Server{URL: s.Address()}); err != nil || !slices.Equal(a.Scopes, []string{"x"}) {
			t.Errorf("%d: %+v, %v", status, a, err)
		}
	}
}

// TestConfiguredClient checks that a client of the configuration is used, and that its secret is not stored.
func TestConfiguredClient(t *testing.T) {
	s := oauthtest.New(t)
	s.Lifetime = 1
	s.Issuer = func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"} }
	now := time.Now()
	u := newUser(t, func(o *Options) { o.Now = func() time.Time { return now } })
	server := Server{URL: s.Address(), ClientID: "mine", ClientSecret: "client-" + oauthtest.Mark, Scopes: []string{"one"}}
	if _, err := u.login(server); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if token, err := u.Token(t.Context(), server); err != nil || token != "access-2-"+oauthtest.Mark {
		t.Errorf("%q, %v", token, err)
	}
	for _, form := range s.Forms()[1:] {
		if form.Get("client_id") != "mine" || form.Get("client_secret") != server.ClientSecret || form.Get("resource") != s.Address() {
			t.Errorf("%v", form)
		}
	}
	if s.Requests("/register") != 0 {
		t.Error("it was registered")
	}
	address, _ := server.address()
	if text, _, err := u.store.Lookup(slot(address)); err != nil || strings.Contains(text, server.ClientSecret) {
		t.Errorf("%v: the configured secret is stored", err)
	}
}

// TestRenewOnce checks that processes that renew a token at once use the refresh token once, and that it goes
// to the resource that it is for.
func TestRenewOnce(t *testing.T) {
	s := oauthtest.New(t)
	s.Lifetime = 100
	now := time.Now()
	folder := t.TempDir()
	options := func(o *Options) {
		o.Store = signin.NewStore(signin.StoreOptions{Folder: folder, File: true})
		o.Now = func() time.Time { return now }
	}
	processes := []*user{newUser(t, options), newUser(t, options), newUser(t, options)}
	server := Server{URL: s.Address()}
	if _, err := processes[0].login(server); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute + 10*time.Second)
	if token, err := processes[0].Token(t.Context(), server); err != nil || token != "access-1-"+oauthtest.Mark {
		t.Errorf("%q, %v: renewed too early", token, err)
	}
	now = now.Add(10 * time.Second)
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			token, err := processes[i%3].Token(t.Context(), server)
			if err != nil || token != "access-2-"+oauthtest.Mark {
				t.Errorf("%q, %v", token, err)
			}
		})
	}
	all.Wait()
	if n := s.Requests("/token"); n != 2 {
		t.Errorf("%d requests for tokens, want 2", n)
	}
	if form := s.Forms()[2]; form.Get("resource") != s.Address() || form.Get("grant_type") != "refresh_token" {
		t.Errorf("%v", form)
	}
}

// TestRenewalFails checks what ends a sign-in, and what does not.
func TestRenewalFails(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		code   string
		want   string // of the error; "": none, and the user is signed out
	}{
		{"revoked", 400, "invalid_grant", ""},
		{"registration forgotten", 401, "invalid_client", ""},
		{"busy", 503, "", "cannot be renewed just now: HTTP 503"},
		{"too many", 429, "", "cannot be renewed just now: HTTP 429"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := oauthtest.New(t)
			u := newUser(t, nil)
			server := Server{URL: s.Address()}
			if _, err := u.login(server); err != nil {
				t.Fatal(err)
			}
			s.Token = func(form url.Values, m map[string]any) int {
				clear(m)
				m["error"], m["error_description"] = test.code, form.Get("refresh_token")
				return test.status
			}
			token, err := u.Renew(t.Context(), server, "access-1-"+oauthtest.Mark)
			_, in := u.SignedIn(server)
			if token != "" || in != (test.want != "") || (err == nil) != (test.want == "") {
				t.Errorf("%q, %v, signed in %v", token, err, in)
			}
			if err != nil && (!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), oauthtest.Mark)) {
				t.Error(err)
			}
		})
	}
}

// TestSignOutDuringRenewal checks that a renewal does not undo a sign-out.
func TestSignOutDuringRenewal(t *testing.T) {
	s := oauthtest.New(t)
	u := newUser(t, nil)
	server := Server{URL: s.Address()}
	if _, err := u.login(server); err != nil {
		t.Fatal(err)
	}
	s.Token = func(url.Values, map[string]any) int {
		if _, err := u.Logout(server); err != nil {
			t.Error(err)
		}
		return 200
	}
	token, err := u.Renew(t.Context(), server, "access-1-"+oauthtest.Mark)
	if _, in := u.SignedIn(server); in || token != "" || err != nil {
		t.Errorf("%q, %v, signed in %v", token, err, in)
	}
}

// TestScopesAccumulate checks that a sign-in for more scopes keeps those that were granted.
func TestScopesAccumulate(t *testing.T) {
	s := oauthtest.New(t)
	u := newUser(t, nil)
	server := Server{URL: s.Address()}
	if _, err := u.login(server, "read"); err != nil {
		t.Fatal(err)
	}
	u.Want(server, []string{"write", "bad\"scope"})
	a, err := u.login(server)
	if err != nil || !slices.Equal(a.Scopes, []string{"notes", "read", "write"}) {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestLoginEnds checks that a sign-in that the user does not finish ends, and frees its port.
func TestLoginEnds(t *testing.T) {
	s := oauthtest.New(t)
	u := newUser(t, func(o *Options) { o.Limit = 50 * time.Millisecond })
	if _, err := u.Login(t.Context(), Server{URL: s.Address()}, LoginRequest{Show: func(string, string) {}}); err == nil || !strings.Contains(err.Error(), "not finished within 50ms") {
		t.Error(err)
	}
	u = newUser(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	callback := ""
	_, err := u.Login(ctx, Server{URL: s.Address()}, LoginRequest{Show: func(_, at string) { callback = at; cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := oauthtest.Visit(callback); err == nil {
		t.Error("the port is still open")
	}
}

func TestCovers(t *testing.T) {
	for _, test := range []struct {
		id, server string
		want       bool
	}{
		{"https://a.example/mcp", "https://a.example/mcp", true},
		{"https://a.example/mcp/", "https://a.example/mcp", true},
		{"https://a.example", "https://a.example/mcp", true},
		{"https://a.example:443/", "https://A.example/mcp", true},
		{"https://a.example/m", "https://a.example/mcp", false},
		{"https://a.example/mcp/x", "https://a.example/mcp", false},
		{"https://b.example/mcp", "https://a.example/mcp", false},
		{"http://a.example/mcp", "https://a.example/mcp", false},
		{"https://a.example:444/mcp", "https://a.example/mcp", false},
		{"https://u@a.example/mcp", "https://a.example/mcp", false},
		{"", "https://a.example/mcp", false},
	} {
		u, err := url.Parse(test.server)
		if err != nil {
			t.Fatal(err)
		}
		if got := covers(test.id, u); got != test.want {
			t.Errorf("%s for %s: %v", test.id, test.server, got)
		}
	}
}

// FuzzChallenge: a header of any kind is read without a panic, and gives valid scopes only.
func FuzzChallenge(f *testing.F) {
	for _, text := range []string{"", "Bearer", `Bearer scope="a b", resource_metadata="https://x/"`, `Basic realm="x", Bearer error=insufficient_scope`, `Bearer scope="`, "\x00=,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := ChallengeOf(&http.Response{Header: http.Header{"Www-Authenticate": {text}}})
		for _, scope := range c.Scopes {
			if strings.ContainsAny(scope, " \"\\") || !isToken(scope) {
				t.Errorf("%q: the scope %q", text, scope)
			}
		}
	})
}
