package signin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"
)

const maxAnswer = 64 << 10 // bytes of an answer of the issuer

// client returns what the issuer knows us as; redirect may be "".
func (m *Manager) client(redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: m.o.ClientID,
		Endpoint: oauth2.Endpoint{
			AuthURL:   m.o.Issuer + "/oauth/authorize",
			TokenURL:  m.o.Issuer + "/oauth/token",
			AuthStyle: oauth2.AuthStyleInParams,
		},
		RedirectURL: redirect,
		Scopes:      m.o.Scopes,
	}
}

// through makes oauth2 use our HTTP client.
func (m *Manager) through(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, m.o.HTTP)
}

// redeem makes a stored credential of a code. flow names the flow in a failure.
func (a *Attempt) redeem(ctx context.Context, flow string, client *oauth2.Config, code, verifier string) (credential, error) {
	m := a.m
	token, err := client.Exchange(m.through(ctx), code, oauth2.VerifierOption(verifier))
	if err != nil {
		if ctx.Err() != nil {
			return credential{}, ended(ctx, flow)
		}
		return credential{}, exchangeFailure(err, code, verifier)
	}
	c := credential{
		Issuer: m.o.Issuer, ClientID: m.o.ClientID,
		Method: a.Method(), Since: m.o.Now().UTC(),
	}
	if id, _ := token.Extra("id_token").(string); id == "" || !c.take(token, m.o.Now()) {
		return credential{}, errIncompleteToken
	}
	if _, err := m.keep(c, ""); err != nil {
		return credential{}, failed("OAuth login failed: %s.", hide(err.Error(), c.Access, c.Refresh))
	}
	return c, nil
}

var errIncompleteToken = failed("OAuth token exchange returned an incomplete token payload.")

func exchangeFailure(err error, secrets ...string) error {
	if refusal, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return refusedWith("OAuth token exchange", refusal.Response.StatusCode, refusal.Body, secrets...)
	}
	if _, ok := errors.AsType[*url.Error](err); ok {
		return unreachable("OAuth token exchange", err)
	}
	return errIncompleteToken // an answer, but no token; the cause could quote it
}

// unreachable returns the failure of a request without an answer. It leaves out the address.
func unreachable(what string, err error) error {
	if broken, ok := errors.AsType[*url.Error](err); ok {
		err = broken.Err
	}
	return failed("%s failed: %s", what, clip(err.Error()))
}

// post sends an object to the issuer; the answer may have any status.
func (m *Manager) post(ctx context.Context, path string, object any) (status int, body []byte, err error) {
	data, err := json.Marshal(object)
	if err != nil {
		return 0, nil, fmt.Errorf("write a request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.o.Issuer+path, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "parley")
	response, err := m.o.HTTP.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil && response.StatusCode/100 == 2 {
		return 0, nil, err // half a refusal is better than none
	}
	return response.StatusCode, body, nil
}
