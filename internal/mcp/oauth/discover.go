package oauth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"parley.dev/parley/internal/signin"
)

// A Challenge is what a server says when it refuses a request: the WWW-Authenticate header.
type Challenge struct {
	Metadata          string // the address of its metadata; "": not said
	Scopes            []string
	InsufficientScope bool // there is a token, but it does not suffice
}

// ChallengeOf returns the challenge in a response. What cannot be read is left out.
func ChallengeOf(r *http.Response) Challenge {
	challenges, _ := oauthex.ParseWWWAuthenticate(r.Header.Values("WWW-Authenticate"))
	var c Challenge
	for _, found := range challenges {
		if found.Scheme != "bearer" {
			continue
		}
		if c.Metadata == "" {
			c.Metadata = found.Params["resource_metadata"]
		}
		if c.Scopes == nil {
			c.Scopes = scopesOf(found.Params["scope"])
		}
		c.InsufficientScope = c.InsufficientScope || found.Params["error"] == "insufficient_scope"
	}
	return c
}

// firstRequest is what the server is asked without a token.
const firstRequest = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"parley","version":%q}}}`

// probe asks the server without a token. It reports whether the server refused that, and how.
func (m *Manager) probe(ctx context.Context, client *http.Client, u *url.URL, s Server) (c Challenge, refused bool, err error) {
	for _, method := range []string{http.MethodPost, http.MethodGet} { // the older transport knows GET only
		r, err := m.first(ctx, client, method, u, s)
		if err != nil {
			return Challenge{}, false, fmt.Errorf("the server cannot be reached: %s", requestProblem(err))
		}
		r.Body.Close()
		if id := r.Header.Get("Mcp-Session-Id"); id != "" && r.StatusCode < 300 {
			m.forget(ctx, client, u, s, id)
		}
		switch r.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			return ChallengeOf(r), true, nil
		case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		default:
			return Challenge{}, false, nil
		}
	}
	return Challenge{}, false, nil
}

func (m *Manager) first(ctx context.Context, client *http.Client, method string, u *url.URL, s Server) (*http.Response, error) {
	var body io.Reader
	if method == http.MethodPost {
		body = bytes.NewReader(fmt.Appendf(nil, firstRequest, m.o.Version))
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	for name, value := range s.Headers {
		if !strings.EqualFold(name, "Authorization") {
			r.Header.Set(name, value)
		}
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	probing := *client // it has no secret but the configured headers, which sessions send there, too
	probing.CheckRedirect = followOnHost
	return probing.Do(r)
}

// forget ends the session that a server without sign-in began.
func (m *Manager) forget(ctx context.Context, client *http.Client, u *url.URL, s Server, id string) {
	headers := map[string]string{"Mcp-Session-Id": id}
	for name, value := range s.Headers {
		headers[name] = value
	}
	s.Headers = headers
	if r, err := m.first(ctx, client, http.MethodDelete, u, s); err == nil {
		r.Body.Close()
	}
}

// A resource is what a server says about sign-ins (RFC 9728).
type resource struct {
	ID      string   `json:"resource"`
	Servers []string `json:"authorization_servers"`
	Scopes  []string `json:"scopes_supported"`
}

const maxMetadata = 1 << 20 // bytes

// errNoMetadata means that there is no metadata at an address.
var errNoMetadata = errors.New("there is no metadata")

// discover returns what the server says about sign-ins: at the address of the challenge, or at the
// well-known ones. It returns errNoMetadata if there is nothing.
func discover(ctx context.Context, client *http.Client, u *url.URL, challenge Challenge) (resource, error) {
	var problem error
	for _, address := range wellKnown(u, challenge.Metadata) {
		found, err := fetchResource(ctx, client, address)
		if err != nil {
			if address == challenge.Metadata && !errors.Is(err, errNoMetadata) {
				problem = fmt.Errorf("the metadata that the server names cannot be used: %w", err)
			}
			continue
		}
		if !covers(found.ID, u) {
			return resource{}, fmt.Errorf("the server's metadata is for another resource, %s: a token for it would not be this server's", signin.Quote(found.ID))
		}
		if len(found.Servers) == 0 {
			return resource{}, errors.New("the server's metadata names no authorization server")
		}
		return found, nil
	}
	if problem != nil {
		return resource{}, problem
	}
	return resource{}, errNoMetadata
}

// wellKnown returns the addresses at which the metadata of u can be, in order.
func wellKnown(u *url.URL, named string) []string {
	const path = "/.well-known/oauth-protected-resource"
	root := *u
	root.RawQuery, root.RawPath = "", ""
	root.Path = path
	var addresses []string
	if named != "" {
		addresses = append(addresses, named)
	}
	if below := strings.Trim(u.Path, "/"); below != "" {
		inserted := root
		inserted.Path = path + "/" + strings.TrimLeft(u.Path, "/")
		addresses = append(addresses, inserted.String())
	}
	return append(addresses, root.String())
}

func fetchResource(ctx context.Context, client *http.Client, address string) (resource, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return resource{}, errors.New("its address is not valid")
	}
	request.Header.Set("Accept", "application/json")
	r, err := client.Do(request)
	if err != nil {
		return resource{}, errors.New(requestProblem(err))
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return resource{}, fmt.Errorf("%w: HTTP %d", errNoMetadata, r.StatusCode)
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	text, err := io.ReadAll(io.LimitReader(r.Body, maxMetadata+1))
	switch {
	case err != nil:
		return resource{}, errors.New(requestProblem(err))
	case kind != "application/json":
		return resource{}, errors.New("it is not JSON")
	case len(text) > maxMetadata:
		return resource{}, errors.New("it is longer than 1 MiB")
	}
	var found resource
	if json.Unmarshal(text, &found, jsontext.AllowInvalidUTF8(true)) != nil {
		return resource{}, errors.New("it is not what RFC 9728 describes")
	}
	return found, nil
}

// covers reports whether a resource identifier is that of the server: its address, or a path
// above it on the same host.
func covers(id string, u *url.URL) bool {
	r, err := url.Parse(id)
	if err != nil || !strings.EqualFold(r.Scheme, u.Scheme) || !strings.EqualFold(hostPort(r), hostPort(u)) || r.User != nil || r.Fragment != "" {
		return false
	}
	above, below := strings.TrimRight(r.Path, "/"), strings.TrimRight(u.Path, "/")
	return above == below || strings.HasPrefix(below, above+"/")
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return u.Hostname() + ":" + port
}

// authorizationServer returns the metadata of an authorization server. Without resource metadata the host
// of the tool server is one, and its endpoints have the names of the version 2025-03-26.
func authorizationServer(ctx context.Context, client *http.Client, issuer string, guess bool) (*oauthex.AuthServerMeta, error) {
	u, err := url.Parse(issuer)
	if err != nil || !isSafe(u) {
		return nil, fmt.Errorf("the authorization server %s is neither an https address nor one of this machine", signin.Quote(issuer))
	}
	meta, err := auth.GetAuthServerMetadata(ctx, issuer, client)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the metadata of the authorization server %s cannot be used: %s", signin.Quote(u.Host), requestProblem(err))
	case meta == nil && !guess:
		return nil, fmt.Errorf("the authorization server %s has no metadata", signin.Quote(u.Host))
	case meta == nil:
		issuer = strings.TrimRight(issuer, "/")
		return &oauthex.AuthServerMeta{
			Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize", TokenEndpoint: issuer + "/token", RegistrationEndpoint: issuer + "/register",
		}, nil
	case !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
		return nil, fmt.Errorf("the authorization server %s does not support PKCE with S256", signin.Quote(u.Host))
	}
	for name, endpoint := range map[string]string{"authorization_endpoint": meta.AuthorizationEndpoint, "token_endpoint": meta.TokenEndpoint} {
		if e, err := url.Parse(endpoint); err != nil || !isSafe(e) {
			return nil, fmt.Errorf("the metadata of the authorization server %s has no safe %s", signin.Quote(u.Host), name)
		}
	}
	return meta, nil
}
