package web

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/host/token"
)

// This file is how a browser, which cannot send a token with WebSocket, signs in: an owner makes a one-time link, or shares a
// stored token in a link, and the page that the link leads to exchanges it for a cookie.

// bodyLimit is how long the body of a request may be, in bytes.
const bodyLimit = 1 << 10

// roles are what a link may allow.
var roles = []string{"viewer", "reviewer", "driver", "owner"}

// A linkRequest is the body of POST /v1/link.
type linkRequest struct {
	Role string `json:"role,omitzero"` // "": that of the token
}

// A linkAnswer is its answer.
type linkAnswer struct {
	URL     string    `json:"url"`
	Expires time.Time `json:"expires"`
}

// A signInRequest is the body of POST /v1/signin.
type signInRequest struct {
	Code string `json:"t"` // of a one-time link, or a stored token
}

// serveLink makes a one-time link for an owner.
func (s *Server) serveLink(w http.ResponseWriter, r *http.Request) {
	b, ok := s.authenticate(w, r)
	if !ok {
		return
	}
	var asked linkRequest
	if err := readBody(r, &asked); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	switch {
	case b.Role != "owner" || b.Limited():
		s.metrics.forbidden.Add(1)
		s.audit(r, b, "refused", "", "the token is not sufficient")
		refuse(w, http.StatusForbidden, "a link needs a token with the role owner that is not limited to a folder or to sessions")
		return
	case asked.Role == "":
	case !slices.Contains(roles, asked.Role):
		refuse(w, http.StatusBadRequest, "role must be viewer, reviewer, driver or owner")
		return
	default:
		b.Role = asked.Role
	}
	code, expires, err := s.browsers.link(b)
	if err != nil {
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	s.audit(r, b, "link", "", "")
	data, _ := json.Marshal(linkAnswer{linkURL(s.origin(r), code), expires.UTC()}) // of texts and a time: cannot fail
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(data, '\n')) // the client is gone if not
}

// OwnerLink makes a one-time link at base, an address of this server, for what the owner's token allows.
func (s *Server) OwnerLink(base string) (string, error) {
	info, ended, ok := s.o.Tokens.Find(s.o.Owner)
	if !ok {
		return "", token.ErrNoToken
	}
	code, _, err := s.browsers.link(bearer{Info: info, ended: ended})
	return linkURL(base, code), err
}

// linkURL returns the address of a one-time link.
func linkURL(base, code string) string { return base + "/#t=" + code }

// serveSignIn exchanges a one-time link or a stored token for a cookie.
func (s *Server) serveSignIn(w http.ResponseWriter, r *http.Request) {
	var asked signInRequest
	if err := readBody(r, &asked); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	secret, b, ok := s.browsers.exchange(asked.Code)
	if !ok {
		secret, b, ok = s.exchangeToken(asked.Code)
	}
	if !ok {
		s.refuseStranger(w, r, "the link is not valid: one that signs in works once and for a minute, a shared one until it expires or is revoked")
		return
	}
	s.audit(r, b, "signed_in", "", "")
	cookie := s.cookie(r, secret)
	if !b.Expires.IsZero() {
		cookie.MaxAge = max(int(time.Until(b.Expires)/time.Second), 1) // the token itself ends on time
	}
	http.SetCookie(w, cookie)
	w.WriteHeader(http.StatusNoContent)
}

// exchangeToken returns the secret of a cookie that allows what a stored token does. Others than those are of programs
// that hold them, and are in no link.
func (s *Server) exchangeToken(text string) (secret string, b bearer, ok bool) {
	info, ended, ok := s.o.Tokens.Check(text)
	if !ok || info.Temporary {
		return "", bearer{}, false
	}
	b = bearer{Info: info, ended: ended}
	secret, b = s.browsers.signIn(b)
	return secret, b, true
}

// serveSignOut ends the cookie of a browser.
func (s *Server) serveSignOut(w http.ResponseWriter, r *http.Request) {
	b, ok := s.authenticate(w, r)
	if !ok {
		return
	}
	cookie := s.cookie(r, "")
	if sent, err := r.Cookie(cookie.Name); err == nil {
		s.audit(r, b, "signed_out", "", "")
		s.browsers.signOut(sent.Value)
	}
	cookie.MaxAge = -1
	http.SetCookie(w, cookie)
	w.WriteHeader(http.StatusNoContent)
}

// readBody reads the JSON object that a request consists of. The error is a sentence for the client.
func readBody(r *http.Request, value any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return errors.New("the Content-Type must be application/json")
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit+1))
	switch {
	case err != nil:
		return errors.New("the body cannot be read")
	case len(data) > bodyLimit:
		return fmt.Errorf("the body is longer than %d bytes", bodyLimit)
	case json.Unmarshal(data, value, json.RejectUnknownMembers(true)) != nil:
		return errors.New("the body is no JSON object, or has other members than this request")
	}
	return nil
}

// cookie returns the cookie of a browser. Browsers send it to all ports of a host: its name says which one it is for.
func (s *Server) cookie(r *http.Request, secret string) *http.Cookie {
	c := &http.Cookie{Name: "parley", Value: secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if _, port, err := net.SplitHostPort(r.Host); err == nil && port != "" {
		c.Name += "-" + port
	}
	if strings.HasPrefix(s.origin(r), "https:") {
		c.Secure, c.Name = true, "__Host-"+c.Name
	}
	return c
}

// signedIn returns what the browser of a request may do. A page of another origin is not helped by the cookie: where the
// browser reports that the request is from one, it must be a configured one.
func (s *Server) signedIn(r *http.Request) (bearer, bool) {
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "same-origin" && site != "none" && r.Header.Get("Origin") == "" {
		return bearer{}, false
	}
	sent := r.CookiesNamed(s.cookie(r, "").Name)
	if len(sent) != 1 {
		return bearer{}, false
	}
	return s.browsers.check(sent[0].Value)
}
