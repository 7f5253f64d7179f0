package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
)

const (
	early      = time.Minute // before its end a token is renewed: a long request must not outlive it
	renewLimit = 40 * time.Second
)

// Token returns an access token that has not expired, renewed if need be; however many ask at
// once, here and in other processes, it is renewed once. The error is ErrNotConfigured,
// ErrSignedOut (also if the issuer refuses to renew: then the tokens are forgotten), or that
// the issuer cannot be asked just now.
func (m *Manager) Token(ctx context.Context) (string, error) {
	c, _, err := m.load()
	if err != nil || m.usable(c) {
		return c.Access, err
	}
	renewed := m.renewals.DoChan("", func() (any, error) {
		if err := m.begin(); err != nil {
			return "", err
		}
		defer m.work.Done()
		return m.renew()
	})
	select {
	case r := <-renewed:
		token, _ := r.Val.(string)
		return token, r.Err
	case <-ctx.Done():
		return "", context.Cause(ctx) // others may still wait for it
	}
}

// Refused reports that the provider no longer accepts a token, whatever its expiry:
// Token renews it then.
func (m *Manager) Refused(token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = token
}

func (m *Manager) usable(c credential) bool {
	m.mu.Lock()
	refused := m.refused
	m.mu.Unlock()
	return c.Access != refused && (c.Expires.IsZero() || m.o.Now().Add(early).Before(c.Expires))
}

// renew asks the issuer for a new token, unless another process has just done so: a refresh
// token can often be used only once, and the second use ends the sign-in.
func (m *Manager) renew() (string, error) {
	ctx, cancel := context.WithTimeout(m.life, renewLimit)
	defer cancel()
	unlock, err := m.store.lock(ctx, "renewal.lock", renewLimit)
	if err != nil {
		return "", err
	}
	defer unlock()
	c, version, err := m.load()
	if err != nil || m.usable(c) {
		return c.Access, err
	}
	old := c.Refresh
	token, err := m.client("").TokenSource(m.through(ctx), &oauth2.Token{RefreshToken: old}).Token()
	if err != nil {
		return "", m.notRenewed(err, version, old)
	}
	if !c.take(token, m.o.Now()) {
		return "", errors.New("the sign-in cannot be renewed: the issuer returned an incomplete token payload")
	}
	kept, err := m.keep(c, version)
	switch {
	case err != nil:
		return "", fmt.Errorf("the renewed sign-in is lost, sign in again if this goes on: %s", hide(err.Error(), c.Access, c.Refresh))
	case !kept: // the user has signed out meanwhile, or in again
		c, _, err = m.load()
		return c.Access, err
	}
	return c.Access, nil
}

// notRenewed reports why, and forgets the tokens if they are worth nothing any more.
func (m *Manager) notRenewed(err error, version, secret string) error {
	refusal, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		if broken, ok := errors.AsType[*url.Error](err); ok {
			return fmt.Errorf("the sign-in cannot be renewed: the issuer cannot be asked: %s", clip(broken.Err.Error()))
		}
		return errors.New("the sign-in cannot be renewed: the answer of the issuer has no token")
	}
	status, body := refusal.Response.StatusCode, clip(hide(string(refusal.Body), secret))
	if !Final(refusal) {
		return fmt.Errorf("the sign-in cannot be renewed just now (%d): %s", status, body)
	}
	if _, err := m.store.drop(m.slot(), version); err != nil {
		return fmt.Errorf("%w: the issuer refuses to renew the sign-in (%d): %s; and the tokens cannot be forgotten: %s", ErrSignedOut, status, body, hide(err.Error(), secret))
	}
	return fmt.Errorf("%w: the issuer refuses to renew the sign-in (%d): %s", ErrSignedOut, status, body)
}

// Final reports whether a refusal to renew a token will not change. An error that is about us or about
// the issuer, and not about the token, does not end a sign-in.
func Final(refusal *oauth2.RetrieveError) bool {
	switch refusal.ErrorCode {
	case "invalid_grant":
		return true
	case "invalid_client", "unauthorized_client", "invalid_request", "unsupported_grant_type", "temporarily_unavailable", "server_error":
		return false
	}
	status := refusal.Response.StatusCode
	return status == http.StatusBadRequest || status == http.StatusUnauthorized
}
