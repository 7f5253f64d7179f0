package signin

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/oauth2"
)

// A credential is what the store has of a sign-in. The id token is read once and not kept.
type credential struct {
	Issuer    string    `json:"issuer"` // that may see the refresh token
	ClientID  string    `json:"client_id"`
	Access    string    `json:"access_token"`
	Refresh   string    `json:"refresh_token"`
	AccountID string    `json:"account_id,omitzero"`
	Method    Method    `json:"method"`
	Since     time.Time `json:"since"`
	Expires   time.Time `json:"expires,omitzero"` // absent: not known
}

func (c credential) account() Account {
	return Account{ID: c.AccountID, Method: c.Method, Since: c.Since}
}

// Format shows no secret, whatever the verb.
func (c credential) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[hidden]") }

const (
	maxToken   = 16 << 10 // bytes
	maxAccount = 128
)

// take makes the tokens of an answer part of c. The issuer need not repeat an id token or a
// refresh token; whether it had to is the caller's business.
func (c *credential) take(t *oauth2.Token, now time.Time) bool {
	if !plain(t.AccessToken, maxToken) || !plain(t.RefreshToken, maxToken) {
		return false
	}
	c.Access, c.Refresh, c.Expires = t.AccessToken, t.RefreshToken, time.Time{}
	access := claimsOf(t.AccessToken)
	switch {
	case t.ExpiresIn > 0:
		c.Expires = now.Add(time.Duration(t.ExpiresIn) * time.Second).UTC()
	case access.Expires > 0 && access.Expires < 1<<40:
		c.Expires = time.Unix(int64(access.Expires), 0).UTC()
	}
	if id, _ := t.Extra("id_token").(string); id != "" {
		if account := claimsOf(id).Auth.AccountID; plain(account, maxAccount) {
			c.AccountID = account
		}
	}
	return true
}

// plain reports whether s can stand in a header, and is not empty.
func plain(s string, limit int) bool {
	return s != "" && len(s) <= limit && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// claims are what a token says of itself.
type claims struct {
	Expires float64 `json:"exp"`
	Auth    struct {
		AccountID string `json:"chatgpt_account_id"`
	} `json:"https://api.openai.com/auth"`
}

// claimsOf reads the middle of a JWT, without asking whether its signature is right: it came
// from the issuer itself. Of anything else it reads nothing.
func claimsOf(token string) (c claims) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > maxAnswer {
		return claims{}
	}
	body, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil || json.Unmarshal(body, &c, lenient) != nil {
		return claims{}
	}
	return c
}

// lenient reads what services send: unknown fields, repeated names, runes cut in half.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// load returns what is stored, and its version there. A sign-in at another issuer, or of another
// client, is none: its refresh token may not be shown to this one.
func (m *Manager) load() (credential, string, error) {
	if err := m.o.check(); err != nil {
		return credential{}, "", err
	}
	text, version, err := m.store.get(m.slot())
	switch {
	case errors.Is(err, ErrNoSecret):
		return credential{}, "", ErrSignedOut
	case err != nil:
		return credential{}, "", err
	}
	var c credential
	if json.Unmarshal([]byte(text), &c) != nil || c.Issuer != m.o.Issuer || c.ClientID != m.o.ClientID {
		return credential{}, "", ErrSignedOut
	}
	return c, version, nil
}

// keep stores c. If replacing is not "", then only over that version: a sign-out, or
// another sign-in, of the meantime wins.
func (m *Manager) keep(c credential, replacing string) (bool, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return false, errors.New("the tokens make no JSON") // the cause could show them
	}
	return m.store.put(m.slot(), string(text), replacing)
}
