package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"parley.dev/parley/internal/mcp/oauth"
)

// This file implements how the requests to a remote server get the token of a sign-in, and what happens when the
// user has to sign in. The sign-in itself is package oauth.

// A signIn has the tokens for one endpoint.
type signIn struct {
	manager *oauth.Manager
	server  oauth.Server
	hide    *tokenHider
}

// newSignIn returns nil for a server whose token is configured.
func newSignIn(p *sharedServer) *signIn {
	c := p.config
	for name := range c.Headers {
		if strings.EqualFold(name, "Authorization") {
			return nil
		}
	}
	if p.pool.options.SignIn == nil || c.URL == "" {
		return nil
	}
	return &signIn{p.pool.options.SignIn, oauth.Server{URL: c.URL, ClientID: c.OAuth.ClientID, ClientSecret: c.OAuth.ClientSecret}, p.hide.tokens}
}

// errForeignAddress means that the server wants messages to be sent somewhere else.
var errForeignAddress = errors.New("the server names an address on another host for its messages, which is not used")

// send sends r with the token of the user, if there is one. A request that the server refuses for its token was
// not run: it is sent once more if there is a newer one.
func (e *endpoint) send(r *http.Request) (*http.Response, error) {
	if !e.isOwn(r.URL) {
		return nil, errForeignAddress
	}
	if e.signIn == nil {
		return e.base.RoundTrip(r)
	}
	token, err := e.signIn.manager.Token(r.Context(), e.signIn.server)
	if err != nil {
		return nil, err
	}
	response, err := e.sendWith(r, token)
	if err != nil || token == "" || response.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
		return response, err
	}
	renewed, problem := e.signIn.manager.Renew(r.Context(), e.signIn.server, token)
	if problem != nil || renewed == "" || renewed == token {
		return response, nil
	}
	response.Body.Close()
	if r.GetBody != nil {
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	return e.sendWith(r, renewed)
}

func (e *endpoint) sendWith(r *http.Request, token string) (*http.Response, error) {
	if token != "" {
		e.signIn.hide.add(token)
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return e.base.RoundTrip(r)
}

// wantsSignIn reports whether a response means that the user has to sign in, and the scopes that
// the present token lacks.
func (e *endpoint) wantsSignIn(r *http.Response) (bool, string) {
	if e.signIn == nil {
		return false, ""
	}
	switch r.StatusCode {
	case http.StatusUnauthorized:
		return true, ""
	case http.StatusForbidden:
		challenge := oauth.ChallengeOf(r)
		if challenge.InsufficientScope {
			e.signIn.manager.Want(e.signIn.server, challenge.Scopes)
			return true, strings.Join(challenge.Scopes, " ")
		}
	}
	return false, ""
}

// A SignInError means that a server wants the user to sign in.
type SignInError struct {
	Login string // what the user names the server by
	text  string
}

func (e *SignInError) Error() string { return e.text }

// signInError returns a *SignInError if err means that the server wants a sign-in; else nil. login is what the
// user names the server by.
func signInError(err error, login string) *SignInError {
	refused, ok := errors.AsType[*httpError](err)
	if !ok || !refused.wants {
		return nil
	}
	text := fmt.Sprintf("it wants a sign-in: run `parley mcp login %s`", login)
	if refused.status == http.StatusForbidden {
		text = fmt.Sprintf("it wants a sign-in with more scopes: run `parley mcp login %s`", login)
		if refused.scopes != "" {
			text = fmt.Sprintf("it wants a sign-in with the scopes %s: run `parley mcp login %s`", plain(brief(refused.scopes, maxLast)), login)
		}
	}
	return &SignInError{login, text}
}

// explain returns err for the user and the model: what to do about a sign-in, or else in one line. p.mu is held.
func (p *sharedServer) explain(err error) error {
	login := plainAddress(p.config.URL)
	for u := range p.users {
		login = u.login
	}
	p.wanted = signInError(err, login)
	if p.wanted == nil {
		return errors.New(p.hide.error(err))
	}
	p.signInVersion = p.credentialVersion()
	return p.wanted
}

// credentialVersion returns a text that changes when the user signs in.
func (p *sharedServer) credentialVersion() string {
	s := newSignIn(p)
	if s == nil {
		return ""
	}
	return s.manager.Version(s.server)
}

// noticeSignIn makes a server that wanted a sign-in one that may be started at once, if the user has signed
// in since. It reports whether that is so. p.mu is held.
func (p *sharedServer) noticeSignIn() bool {
	if p.link != nil || p.wanted == nil || p.attempt != nil || p.credentialVersion() == p.signInVersion {
		return false
	}
	p.wanted, p.fails = nil, 0
	p.pause.end()
	return true
}

// signedIn is noticeSignIn for a session before a request: the start is then waited for.
func (p *sharedServer) signedIn() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.noticeSignIn()
}

// plainAddress returns an address without what may be secret in it.
func plainAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// maxTokens is how many tokens of a server are remembered, to be hidden.
const maxTokens = 20

// add makes text one that is hidden.
func (t *tokenHider) add(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Contains(t.texts, text) {
		return
	}
	if len(t.texts) == maxTokens {
		t.texts = t.texts[1:]
	}
	t.texts = append(slices.Clip(t.texts), text)
}

func (t *tokenHider) replace(text string) string {
	t.mu.Lock()
	texts := t.texts
	t.mu.Unlock()
	for _, token := range texts {
		text = strings.ReplaceAll(text, token, hidden)
	}
	return text
}
