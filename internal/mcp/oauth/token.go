package oauth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"golang.org/x/oauth2"

	"parley.dev/parley/internal/signin"
)

// Token returns the access token for s, renewed if it ends soon, and "" if the user is not signed in.
// The error is that the token has ended and cannot be renewed just now.
func (m *Manager) Token(ctx context.Context, s Server) (string, error) {
	c, _, err := m.load(s)
	switch {
	case errors.Is(err, signin.ErrNoSecret):
		return "", nil
	case err != nil:
		return "", err
	case c.Refresh == "" || c.Renew.IsZero() || m.o.Now().Before(c.Renew):
		return c.Access, nil
	}
	token, err := m.Renew(ctx, s, c.Access)
	if err != nil && m.o.Now().Before(c.Expires) {
		return c.Access, nil
	}
	return token, err
}

// Renew returns an access token other than refused, and "" if there is none: the user has to sign in.
// However many callers there are, here and in other processes, a refresh token is used once.
func (m *Manager) Renew(ctx context.Context, s Server, refused string) (string, error) {
	u, err := s.address()
	if err != nil {
		return "", err
	}
	result := m.renewals.DoChan(slot(u)+"\x00"+refused, func() (any, error) {
		if !m.begin() {
			return "", signin.ErrClosed
		}
		defer m.work.Done()
		return m.renew(u, s, refused)
	})
	select {
	case r := <-result:
		token, _ := r.Val.(string)
		return token, r.Err
	case <-ctx.Done():
		return "", context.Cause(ctx) // others may still wait for it
	}
}

// begin counts a piece of work; false after Close.
func (m *Manager) begin() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.life.Err() != nil {
		return false
	}
	m.work.Add(1)
	return true
}

func (m *Manager) renew(u *url.URL, s Server, refused string) (string, error) {
	ctx, cancel := context.WithTimeout(m.life, renewLimit)
	defer cancel()
	unlock, err := m.store.Lock(ctx, slot(u), renewLimit)
	if err != nil {
		return "", err
	}
	defer unlock()
	c, version, err := m.load(s)
	switch {
	case errors.Is(err, signin.ErrNoSecret):
		return "", nil
	case err != nil:
		return "", err
	case c.Access != refused: // another process was first, or the user has signed in again
		return c.Access, nil
	case c.Refresh == "":
		return "", nil
	}
	endpoint, err := url.Parse(c.TokenEndpoint)
	if err != nil || !isSafe(endpoint) {
		return "", errors.New("the stored sign-in is damaged")
	}
	secret := c.ClientSecret
	if !c.Registered {
		secret = s.ClientSecret
	}
	client := m.client(ctx, u)
	client.Transport = withResource{client.Transport, c.Resource}
	config := oauth2.Config{
		ClientID: c.ClientID, ClientSecret: secret,
		Endpoint: oauth2.Endpoint{TokenURL: c.TokenEndpoint, AuthStyle: c.AuthStyle},
	}
	used := c.Refresh
	token, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, client), &oauth2.Token{RefreshToken: used}).Token()
	if err != nil {
		return "", m.notRenewed(err, u, c, version, secret)
	}
	if err := c.take(token, m.o.Now()); err != nil {
		return "", err
	}
	saved, err := m.save(u, c, version)
	switch {
	case err != nil:
		return "", errors.New("the renewed sign-in cannot be stored: " + signin.Quote(err.Error(), c.Access, c.Refresh, secret))
	case !saved: // the user has signed out meanwhile, or in again
		c, _, err = m.load(s)
		if err != nil {
			return "", nil
		}
	}
	return c.Access, nil
}

// notRenewed returns the error of a refused renewal, and nil if the tokens were deleted since they
// are worth nothing any more.
func (m *Manager) notRenewed(err error, u *url.URL, c credential, version, secret string) error {
	refusal, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return fmt.Errorf("the sign-in cannot be renewed: %s", requestProblem(err, c.Refresh, secret))
	}
	forgotten := c.Registered && (refusal.ErrorCode == "invalid_client" || refusal.ErrorCode == "unauthorized_client")
	if !forgotten && !signin.Final(refusal) {
		return fmt.Errorf("the sign-in cannot be renewed just now: %s", refusalProblem(refusal, c.Refresh, secret))
	}
	if _, err := m.store.Remove(slot(u), version); err != nil {
		return errors.New("the authorization server refuses to renew the sign-in, and the tokens cannot be deleted: " + signin.Quote(err.Error(), c.Access, c.Refresh, secret))
	}
	return nil
}

// withResource adds the resource (RFC 8707) to token requests, which the library leaves out when it
// renews a token.
type withResource struct {
	base     http.RoundTripper
	resource string
}

func (w withResource) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || r.Body == nil || w.resource == "" {
		return w.base.RoundTrip(r)
	}
	text, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, errors.New("a token request is no form") // the cause could show it
	}
	form.Set("resource", w.resource)
	data := []byte(form.Encode())
	r = r.Clone(r.Context())
	r.Body, r.ContentLength, r.GetBody = io.NopCloser(bytes.NewReader(data)), int64(len(data)), nil
	return w.base.RoundTrip(r)
}

// requestProblem returns why a request had no answer, without its address and the secrets.
func requestProblem(err error, secrets ...string) string {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	return signin.Quote(err.Error(), secrets...)
}

// refusalProblem returns why an authorization server refused a token.
func refusalProblem(refusal *oauth2.RetrieveError, secrets ...string) string {
	text := refusal.ErrorCode
	if refusal.ErrorDescription != "" {
		text += ": " + refusal.ErrorDescription
	}
	if text == "" {
		text = string(refusal.Body)
	}
	status := 0
	if refusal.Response != nil {
		status = refusal.Response.StatusCode
	}
	return fmt.Sprintf("HTTP %d: %s", status, signin.Quote(text, secrets...))
}
