package serve

import (
	"context"
	"errors"
	"slices"
	"strings"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/dialect/acp"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/signin"
)

// acpAccounts is the sign-in to a provider as the Agent Client Protocol has it.
type acpAccounts struct{ app *app.App }

// acpSignIn returns the sign-in that the configuration names; nil if it names none.
func acpSignIn(a *app.App) acp.SignIn {
	if s := a.Settings.SignIn; s.Issuer == "" || s.ClientID == "" {
		return nil
	}
	return acpAccounts{a}
}

// acpSignInOf returns the sign-in that a client may use: those of the network do not sign the user in or out.
func acpSignInOf(a *app.App, c client) acp.SignIn {
	if c.token != nil {
		return nil
	}
	return acpSignIn(a)
}

// Begin starts a sign-in and returns when there is an address to open.
func (s acpAccounts) Begin(ctx context.Context) (acp.Attempt, error) {
	events := make(chan signin.Event, 8) // more than an attempt reports
	attempt, err := s.app.Accounts.Start(ctx, signin.Auto, "", func(e signin.Event) { events <- e })
	if errors.Is(err, signin.ErrBusy) {
		err = acp.ErrSigningIn
	}
	if err != nil {
		return acp.Attempt{}, err
	}
	wait := func() error {
		_, err := attempt.Wait(context.Background()) // it has a limit of its own, and ends with ctx
		return err
	}
	for e := range events {
		switch {
		case e.Kind == signin.Code, e.Kind == signin.URL && attempt.Method() == signin.Browser:
			return acp.Attempt{Address: e.URL, Code: e.UserCode, Wait: wait}, nil
		case e.Kind == signin.Failed:
			return acp.Attempt{}, wait()
		}
	}
	return acp.Attempt{}, nil // not reached: the last event is one of those above
}

func (s acpAccounts) Forget() error { return s.app.Accounts.SignOut() }

// Required reports whether the model that sessions have cannot be called, and no other one either.
func (s acpAccounts) Required(name string) bool {
	models := s.app.Models
	if s.app.Accounts.SignedIn() || slices.ContainsFunc(models.Endpoints(), provider.Endpoint.Usable) {
		return false
	}
	if _, routed := models.Gateway(); routed {
		return false
	}
	if name == "" {
		name = models.Default()
		if name == provider.DemoModel {
			return s.app.Settings.Model != name // the demo is there where nothing else is
		}
	}
	if strings.HasPrefix(name, "offline/") {
		return false
	}
	_, err := models.Resolve(name)
	failed, ok := errors.AsType[*model.Error](err)
	return ok && (failed.Kind == model.NotConfigured || failed.Kind == model.Auth)
}
