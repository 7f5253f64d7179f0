package oauth

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"parley.dev/parley/internal/signin"
)

// A credential is what is stored of a sign-in.
type credential struct {
	Server        string           `json:"server"`   // the only one that gets the access token
	Resource      string           `json:"resource"` // that the token is for (RFC 8707)
	Issuer        string           `json:"issuer"`
	TokenEndpoint string           `json:"token_endpoint"` // the only one that gets the refresh token
	AuthStyle     oauth2.AuthStyle `json:"auth_style,omitzero"`
	ClientID      string           `json:"client_id"`
	ClientSecret  string           `json:"client_secret,omitzero"` // of a registration; a configured one is not stored
	Registered    bool             `json:"registered,omitzero"`    // by this program
	Scopes        []string         `json:"scopes,omitzero"`        // granted
	Wanted        []string         `json:"wanted,omitzero"`        // that the server missed later
	Access        string           `json:"access_token"`
	Refresh       string           `json:"refresh_token,omitzero"`
	Since         time.Time        `json:"since"`
	Expires       time.Time        `json:"expires,omitzero"` // absent: the server did not say
	Renew         time.Time        `json:"renew,omitzero"`   // when a new token is requested, before Expires
}

// Format shows no secret, whatever the verb.
func (c credential) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[hidden]") }

const (
	maxToken  = 16 << 10 // bytes
	maxScopes = 100
	renewal   = time.Minute // before the end of a token
)

// take makes the tokens of an answer part of c.
func (c *credential) take(t *oauth2.Token, now time.Time) error {
	if !strings.EqualFold(t.Type(), "Bearer") {
		return fmt.Errorf("the authorization server gave a token of the type %s, which is not supported", signin.Quote(t.Type()))
	}
	if !isToken(t.AccessToken) || t.RefreshToken != "" && !isToken(t.RefreshToken) {
		return errors.New("the authorization server gave a token that cannot be used")
	}
	c.Access, c.Expires, c.Renew = t.AccessToken, time.Time{}, time.Time{}
	if t.RefreshToken != "" {
		c.Refresh = t.RefreshToken
	}
	if t.ExpiresIn > 0 && t.ExpiresIn < 1<<31 {
		lifetime := time.Duration(t.ExpiresIn) * time.Second
		c.Expires = now.Add(lifetime).UTC()
		c.Renew = c.Expires.Add(-min(renewal, lifetime/4))
	}
	if granted, ok := t.Extra("scope").(string); ok && granted != "" {
		c.Scopes = scopesOf(granted)
	}
	return nil
}

// isToken reports whether text can be a part of a header.
func isToken(text string) bool {
	return text != "" && len(text) <= maxToken && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// scopesOf returns the scopes in a list with spaces between them; what is no scope is left out.
func scopesOf(list string) []string { return validScopes(strings.Fields(list)) }

// validScopes returns the scopes among texts (RFC 6749, section 3.3), each once.
func validScopes(texts []string) []string {
	var scopes []string
	for _, text := range texts {
		ok := isToken(text) && len(text) <= 256 && !strings.ContainsAny(text, `"\`)
		if ok && len(scopes) < maxScopes && !slices.Contains(scopes, text) {
			scopes = append(scopes, text)
		}
	}
	return scopes
}

// load returns the credential of s and its version. The error is signin.ErrNoSecret if the user
// is not signed in, also if that was with another client.
func (m *Manager) load(s Server) (c credential, version string, err error) {
	u, err := s.address()
	if err != nil {
		return credential{}, "", fmt.Errorf("%w: %w", signin.ErrNoSecret, err)
	}
	text, version, err := m.store.Lookup(slot(u))
	if err != nil {
		return credential{}, "", err
	}
	if json.Unmarshal([]byte(text), &c) != nil || c.Server != identity(u) || s.ClientID != "" && s.ClientID != c.ClientID || s.ClientID == "" && !c.Registered {
		return credential{}, "", signin.ErrNoSecret
	}
	return c, version, nil
}

// save stores c, in the place of that version if it is not "".
func (m *Manager) save(u *url.URL, c credential, version string) (bool, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return false, errors.New("the tokens cannot be stored") // the cause could show them
	}
	if version != "" {
		return m.store.Replace(slot(u), string(text), version)
	}
	return true, m.store.Set(slot(u), string(text))
}

// An Account describes a sign-in.
type Account struct {
	Issuer string // the authorization server
	Scopes []string
	Since  time.Time
}

// SignedIn returns the sign-in to s; false if there is none. It sends no request.
func (m *Manager) SignedIn(s Server) (Account, bool) {
	c, _, err := m.load(s)
	return Account{c.Issuer, c.Scopes, c.Since}, err == nil
}

// Version returns a text that changes with each sign-in, sign-out and renewal of s.
func (m *Manager) Version(s Server) string {
	u, err := s.address()
	if err != nil {
		return ""
	}
	version, _ := m.store.Version(slot(u)) // what cannot be read has not changed
	return version
}

// Logout deletes the tokens of s. It reports whether there were any.
func (m *Manager) Logout(s Server) (bool, error) {
	u, err := s.address()
	if err != nil {
		return false, err
	}
	version, err := m.store.Version(slot(u))
	if err != nil || version == "" {
		return false, err
	}
	return true, m.store.Delete(slot(u))
}

// Want notes scopes that the server missed, for the next sign-in.
func (m *Manager) Want(s Server, scopes []string) {
	c, version, err := m.load(s)
	if err != nil {
		return
	}
	all := validScopes(slices.Concat(c.Wanted, scopes))
	if slices.Equal(all, c.Wanted) {
		return
	}
	c.Wanted = all
	if u, err := s.address(); err == nil {
		_, _ = m.save(u, c, version) // without it, the user gives them with --scopes
	}
}
