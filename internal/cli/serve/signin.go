package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/dialect/loaf"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/signin"
)

// A signInDoor is sign-in as the loaf protocol has it.
type signInDoor struct {
	manager *signin.Manager
	models  *provider.Registry
}

func signIn(a *app.App) loaf.SignIn { return signInDoor{a.Accounts, a.Models} }

func (d signInDoor) Connect(
	ctx context.Context, mode loaf.AuthMode, originator string, events func(string, any),
) (loaf.AuthMode, func() (*string, error), error) {
	settled := make(chan struct{}) // the method is: there is a url, or an end
	known := false
	attempt, err := d.manager.Start(ctx, signin.Method(mode), originator, func(e signin.Event) {
		if e.Kind != signin.Started && !known {
			known = true
			close(settled)
		}
		if name, params := authEvent(e); name != "" {
			events(name, params)
		}
	})
	switch {
	case errors.Is(err, signin.ErrNotConfigured):
		return "", nil, fmt.Errorf("%w: set signin.issuer and signin.client_id", loaf.ErrNotConfigured)
	case errors.Is(err, signin.ErrBusy):
		return "", nil, loaf.ErrInProgress
	case err != nil:
		return "", nil, err
	}
	wait := func() (*string, error) {
		account, err := attempt.Wait(context.Background()) // it has a limit of its own, and ends with ctx
		if err != nil || account.ID == "" {
			return nil, err
		}
		return &account.ID, nil
	}
	return loaf.AuthMode(attempt.Method()), wait, nil
}

// authEvent returns the event that reports a sign-in to a client.
func authEvent(e signin.Event) (name string, params any) {
	from := loaf.Provider(e.Provider)
	switch e.Kind {
	case signin.Started:
		return loaf.EventAuthStarted, loaf.AuthFlowStarted{Provider: from}
	case signin.URL:
		return loaf.EventAuthURL, loaf.AuthFlowURL{Provider: from, URL: e.URL}
	case signin.Code:
		return loaf.EventAuthDeviceCode, loaf.AuthFlowDeviceCode{
			Provider: from, VerificationURL: e.URL, UserCode: e.UserCode,
			IntervalSeconds: int(e.Interval / time.Second), ExpiresInSeconds: int(e.Expires / time.Second),
		}
	case signin.Completed:
		done := loaf.AuthFlowCompleted{Provider: from, LoginMethod: loaf.AuthMode(e.Method)}
		if e.Account != "" {
			done.AccountID = &e.Account
		}
		return loaf.EventAuthCompleted, done
	case signin.Failed:
		return loaf.EventAuthFailed, loaf.AuthFlowFailed{Provider: from, Message: e.Message}
	}
	return "", nil
}

func (d signInDoor) SignedIn() bool { return d.manager.SignedIn() }

func (d signInDoor) HasKey(name string) bool { return d.models.Key(name) != "" || d.stored(name) != "" }

func (d signInDoor) stored(name string) string {
	key, _ := d.manager.Key(name) // none is none
	return key
}

func (d signInDoor) SetKey(name, key string) error {
	if err := d.manager.SetKey(name, key); err != nil {
		return err
	}
	d.models.SetKey(name, key)
	return nil
}

func (d signInDoor) DeleteKey(name string) error {
	d.models.SetKey(name, "")
	return d.manager.DeleteKey(name)
}

// Count asks the service which models its key gives.
func (d signInDoor) Count(ctx context.Context) (int, string) {
	infos, err := d.models.List(ctx, "openrouter")
	if err != nil {
		return 0, "fallback"
	}
	return len(infos), "remote"
}

// Routes: the list of models does not say who runs them, so that the service's own choice
// is all there is to choose.
func (d signInDoor) Routes(context.Context, string) ([]string, error) { return []string{}, nil }

func (d signInDoor) Forget() error {
	err := d.manager.SignOut()
	for _, name := range []string{"openrouter", "exa"} {
		err = errors.Join(err, d.DeleteKey(name))
	}
	return err
}
