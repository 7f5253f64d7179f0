// Package oauthtest is an authorization server and a protected tool server for tests, and a browser that
// agrees to everything.
package oauthtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"parley.dev/parley/internal/signin"
)

// Mark is in everything that must never be shown.
const Mark = "SECRET"

// A Server is a tool server at /mcp and its authorization server. Its fields are changed before it is used.
type Server struct {
	*httptest.Server
	Next http.Handler // gets the requests with a token; nil: 200

	Resource func(map[string]any) // changes the metadata of the resource
	Issuer   func(map[string]any) // changes the metadata of the authorization server
	Redirect func(url.Values)     // changes what the browser brings back
	Token    func(form url.Values, answer map[string]any) int
	Serve    func(http.ResponseWriter, *http.Request) bool // reports whether it has answered
	Missing  bool                                          // there is no metadata of the resource
	Scope    string                                        // of the challenge; "": it names none
	Lifetime int                                           // of tokens, in seconds; 0: not said

	mu        sync.Mutex
	challenge string
	requests  []string
	forms     []url.Values
	valid     map[string]bool
	serial    int
}

// New starts a Server, which ends with the test.
func New(t testing.TB) *Server {
	s := &Server{valid: map[string]bool{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// Address returns the URL of the tool server.
func (s *Server) Address() string { return s.URL + "/mcp" }

// Revoke makes all access tokens invalid.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.valid)
}

// Requests returns how many requests there were to a path.
func (s *Server) Requests(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, request := range s.requests {
		if request == path {
			n++
		}
	}
	return n
}

// Forms returns the forms that the token endpoint got, and the queries of the authorization endpoint.
func (s *Server) Forms() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.forms)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.URL.Path)
	s.mu.Unlock()
	if s.Serve != nil && s.Serve(w, r) {
		return
	}
	switch r.URL.Path {
	case "/.well-known/oauth-protected-resource/mcp":
		if s.Missing {
			http.NotFound(w, r)
			return
		}
		s.answer(w, 200, change(s.Resource, map[string]any{"resource": s.Address(), "authorization_servers": []string{s.URL}, "scopes_supported": []string{"notes"}}))
	case "/.well-known/oauth-authorization-server":
		s.answer(w, 200, change(s.Issuer, map[string]any{
			"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "registration_endpoint": s.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		}))
	case "/register":
		s.answer(w, 201, map[string]any{"client_id": "registered", "redirect_uris": []string{"http://127.0.0.1/"}, "token_endpoint_auth_method": "none"})
	case "/authorize":
		s.authorize(w, r)
	case "/token":
		s.token(w, r)
	case "/mcp":
		s.protected(w, r)
	default:
		http.NotFound(w, r)
	}
}

func change(by func(map[string]any), m map[string]any) map[string]any {
	if by != nil {
		by(m)
	}
	return m
}

func (s *Server) answer(w http.ResponseWriter, status int, body map[string]any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	s.mu.Lock()
	s.challenge = query.Get("code_challenge")
	s.forms = append(s.forms, query)
	s.mu.Unlock()
	back := url.Values{"state": {query.Get("state")}, "code": {"code-" + Mark}}
	if s.Redirect != nil {
		s.Redirect(back)
	}
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil {
		http.Error(w, "no form", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forms = append(s.forms, r.PostForm)
	form := r.PostForm
	problem := ""
	switch form.Get("grant_type") {
	case "authorization_code":
		if form.Get("code") != "code-"+Mark || oauth2.S256ChallengeFromVerifier(form.Get("code_verifier")) != s.challenge {
			problem = "invalid_grant"
		}
	case "refresh_token":
		if form.Get("refresh_token") != fmt.Sprintf("refresh-%d-%s", s.serial, Mark) { // each can be used once
			problem = "invalid_grant"
		}
	default:
		problem = "unsupported_grant_type"
	}
	if problem != "" {
		s.answer(w, 400, map[string]any{"error": problem, "error_description": "it repeats " + form.Get("refresh_token")})
		return
	}
	s.serial++
	access := fmt.Sprintf("access-%d-%s", s.serial, Mark)
	answer := map[string]any{"access_token": access, "refresh_token": fmt.Sprintf("refresh-%d-%s", s.serial, Mark), "token_type": "Bearer"}
	if s.Lifetime != 0 {
		answer["expires_in"] = s.Lifetime
	}
	status := 200
	if s.Token != nil {
		status = s.Token(form, answer)
	}
	if status == 200 {
		s.valid[access] = true
	}
	s.answer(w, status, answer)
}

func (s *Server) protected(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	ok := s.valid[token]
	s.mu.Unlock()
	if !ok {
		challenge := fmt.Sprintf(`Bearer error="invalid_token", resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, s.URL)
		if s.Missing {
			challenge = `Bearer realm="x"`
		}
		if s.Scope != "" {
			challenge += fmt.Sprintf(`, scope=%q`, s.Scope)
		}
		w.Header().Set("WWW-Authenticate", challenge)
		http.Error(w, "no token: "+token, http.StatusUnauthorized)
		return
	}
	if s.Next != nil {
		s.Next.ServeHTTP(w, r)
	}
}

// Visit opens an address as a browser does, and follows its redirects. It returns the last page.
func Visit(address string) (string, error) {
	r, err := http.Get(address)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	page, err := io.ReadAll(r.Body)
	return string(page), err
}

// Store returns a store in a folder of the test, without a keyring.
func Store(t testing.TB) *signin.Store {
	return signin.NewStore(signin.StoreOptions{Folder: t.TempDir(), File: true})
}

// Public returns a resolver that takes each host for one of the open Internet.
func Public(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
}

// Localhost returns the server's address with a name in the place of the number.
func (s *Server) Localhost() string {
	u, _ := url.Parse(s.Address())
	_, port, _ := net.SplitHostPort(u.Host)
	u.Host = net.JoinHostPort("localhost", port)
	return u.String()
}
