package loaf

import (
	"context"
	"errors"
	"strings"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// SignIn is how users sign in to providers, and where keys are kept.
type SignIn interface {
	// Connect begins a sign-in and says how it is done; wait gives the account at its end.
	// What users have to know is sent as events. ErrNotConfigured, ErrInProgress.
	Connect(ctx context.Context, mode AuthMode, originator string, events func(name string, params any)) (method AuthMode, wait func() (account *string, err error), err error)
	SignedIn() bool
	HasKey(name string) bool
	SetKey(name, key string) error
	DeleteKey(name string) error
	// Count is how many models a key of openrouter gives, and where that is known from.
	Count(ctx context.Context) (models int, source string)
	// Routes returns the providers of a model of openrouter.
	Routes(ctx context.Context, model string) ([]string, error)
	// Forget deletes everything.
	Forget() error
}

// The errors of SignIn.Connect that clients can act on.
var (
	ErrNotConfigured = errors.New("sign-in is not configured on this server")
	ErrInProgress    = errors.New("sign-in already in progress")
)

func (c *conn) authStatus() AuthStatus {
	return AuthStatus{
		EnabledProviders: c.enabledProviders(), HasOpenAIToken: c.cfg.SignIn.SignedIn() || c.cfg.SignIn.HasKey("openai"), HasOpenRouterKey: c.cfg.SignIn.HasKey("openrouter"),
	}
}

// authConnect begins a sign-in (auth.connect.openai): events report it, and the answer comes
// at once, or, if it was asked for, at the end.
func (c *conn) authConnect(id jsonrpc.ID, p *AuthConnectParams) {
	wait := c.delivery.Load().scope == ScopeAll
	if p.Wait != nil {
		wait = *p.Wait
	}
	answered := make(chan struct{})
	notify := func(name string, params any) {
		select {
		case <-answered:
		case <-c.life.Done():
		}
		for _, line := range c.lines(signal{name: name, params: params}) {
			c.replies.Post(line)
		}
	}
	method, end, err := c.cfg.SignIn.Connect(c.life, p.Mode, p.Originator, notify)
	if err != nil {
		close(answered)
		c.fail(id, authError(err))
		return
	}
	if !wait {
		c.reply(id, AuthConnectStarted{ProviderOpenAI, method, true})
	}
	close(answered)
	if !wait {
		c.blocking.Go(func() {
			if _, err := end(); err == nil {
				c.changed(ChangedOpenAIConnected, "")
			}
		})
		return
	}
	c.later(id, func(context.Context) (any, error) {
		account, err := end()
		if err != nil {
			return nil, internal("", err.Error())
		}
		c.changed(ChangedOpenAIConnected, "")
		return AuthConnectResult{ProviderOpenAI, method, account}, nil
	})
}

func authError(err error) error {
	switch {
	case errors.Is(err, ErrNotConfigured):
		return failure(CodeServerError, err.Error(), ErrorData{Reason: ReasonUnsupportedProvider})
	case errors.Is(err, ErrInProgress):
		return failure(CodeServerError, "sign-in already in progress", ErrorData{Reason: ReasonAuthInProgress})
	}
	return internal("", err.Error())
}

// authKey keeps a key (auth.set.openrouter_key, auth.set.exa_key). It is never shown again.
func (c *conn) authKey(id jsonrpc.ID, method string, p *AuthKeyParams) {
	if method == "auth.set.exa_key" {
		c.exaKey(id, p)
		return
	}
	if err := c.cfg.SignIn.SetKey("openrouter", p.APIKey); err != nil {
		c.fail(id, internal("", err.Error()))
		return
	}
	c.later(id, func(ctx context.Context) (any, error) {
		models, source := c.cfg.SignIn.Count(ctx)
		c.changed(ChangedOpenRouterKey, "")
		return AuthOpenRouterKeyResult{true, models, source}, nil
	})
}

func (c *conn) exaKey(id jsonrpc.ID, p *AuthKeyParams) {
	skip := strings.EqualFold(p.APIKey, "skip")
	var err error
	if skip {
		err = c.cfg.SignIn.DeleteKey("exa")
	} else {
		err = c.cfg.SignIn.SetKey("exa", p.APIKey)
	}
	if err != nil {
		c.fail(id, internal("", err.Error()))
		return
	}
	c.reply(id, AuthExaKeyResult{!skip, skip})
	reason := ChangedExaKey
	if skip {
		reason = ChangedExaKeySkipped
	}
	c.changed(reason, "")
}

// limits returns what is left of quotas. The issuers that can be configured do not report it.
func (c *conn) limits() (LimitsResult, error) {
	if !c.cfg.SignIn.SignedIn() {
		return LimitsResult{}, internal(KindNotSignedIn, "limits requires at least one oauth provider")
	}
	return LimitsResult{OpenAI: &OpenAILimits{Message: "the issuer of this sign-in does not tell of limits"}}, nil
}
