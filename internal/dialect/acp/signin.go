package acp

import (
	"context"
	"errors"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// SignIn signs the user in to the provider of models that the configuration names.
type SignIn interface {
	// Begin starts a sign-in, which ends with ctx at the latest, and returns when there is an address to open.
	// ErrSigningIn: one is under way.
	Begin(ctx context.Context) (Attempt, error)
	// Forget deletes the tokens. It is no error if there are none.
	Forget() error
	// Required reports whether no model can be called before the user has signed in. Model is the one that the command
	// line names; "": none.
	Required(model string) bool
}

// An Attempt is a sign-in that waits for the user.
type Attempt struct {
	Address string
	Code    string       // to type there; "": none is needed
	Wait    func() error // waits for the end
}

// ErrSigningIn reports that a sign-in is under way.
var ErrSigningIn = errors.New("a sign-in is under way")

// The ways to sign in.
const (
	methodSignIn   = "sign-in"
	methodTerminal = "sign-in-terminal"
)

// SignInFlag is the flag with which the program signs the user in at a terminal, and ends.
const SignInFlag = "sign-in"

// authMethods returns the ways to sign in that the client can offer.
func (c *conn) authMethods() []AuthMethod {
	methods := []AuthMethod{}
	if c.cfg.SignIn == nil {
		return methods
	}
	methods = append(methods, AuthMethod{
		ID: methodSignIn, Name: "Sign in", Description: "Open an address in a browser and sign in to the provider of models",
	})
	if c.caps.Auth.Terminal {
		methods = append(methods, AuthMethod{ID: methodTerminal, Type: "terminal", Name: "Sign in at a terminal", Args: []string{"--" + SignInFlag}})
	}
	return methods
}

// authCapabilities returns the methods about signing in besides authenticate.
func (c *conn) authCapabilities() AgentAuth {
	if c.cfg.SignIn == nil {
		return AgentAuth{}
	}
	return AgentAuth{Logout: &Marker{}}
}

// authenticate signs in.
func (c *conn) authenticate(_ context.Context, id jsonrpc.ID, p *AuthenticateParams) {
	if c.cfg.SignIn == nil || p.MethodID != methodSignIn {
		problem := "is none of authMethods"
		if c.cfg.SignIn != nil && p.MethodID == methodTerminal {
			problem = "is done by the client: it runs this program with --" + SignInFlag + " in a terminal"
		}
		c.fail(id, invalidMember("methodId", problem))
		return
	}
	shows := c.caps.Elicitation.URL != nil
	c.later("", id, func(ctx context.Context) (any, error) {
		if shows {
			return Empty{}, c.signIn(ctx, id)
		}
		return Empty{}, c.signInByMessage(ctx)
	})
}

// logout deletes the tokens of the sign-in. Running turns continue.
func (c *conn) logout(_ context.Context, id jsonrpc.ID, _ *LogoutParams) {
	if c.cfg.SignIn == nil {
		c.fail(id, noMethod("logout"))
		return
	}
	c.later("", id, func(context.Context) (any, error) {
		if err := c.cfg.SignIn.Forget(); err != nil {
			return nil, failure(jsonrpc.CodeInternalError, "The tokens cannot be deleted: "+err.Error(), ErrorData{Kind: "internal"})
		}
		return Empty{}, nil
	})
}

// errSignInDeclined reports that the user does not want to sign in.
var errSignInDeclined = errors.New("the user has declined to open the address")

// signIn shows the address of a sign-in by the client, and waits for its end. A client that has not answered then is not
// waited for.
func (c *conn) signIn(ctx context.Context, request jsonrpc.ID) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	attempt, err := c.cfg.SignIn.Begin(ctx)
	if err != nil {
		return signInError(err)
	}
	id := c.cfg.NewID()
	r, ok := c.openRequest(clientRequest{method: "elicitation/create", params: ElicitationParams{
		Mode: "url", Message: attempt.instruction(), ElicitationID: id, URL: attempt.Address, RequestID: []byte(request),
	}})
	if !ok {
		return errNoClient
	}
	c.replies.Post(r.line())
	shown := dialect.NewGroup(c.out)
	shown.Go(func() {
		result, err := await[ElicitationResult](ctx, c, c.replies.Post, r)
		switch {
		case err != nil:
			cancel(errors.New("the client cannot show the address: " + err.Error()))
		case result.Action != "accept":
			cancel(errSignInDeclined)
		}
	})
	err = attempt.Wait()
	if err == nil {
		c.replies.Post(notification("elicitation/complete", ElicitationCompleteParams{id}))
	} else if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	cancel(nil)
	shown.Wait()
	if err != nil {
		return signInError(err)
	}
	return nil
}

// instruction returns what the user has to do.
func (a Attempt) instruction() string {
	if a.Code == "" {
		return "Sign in to the provider of models"
	}
	return "Sign in to the provider of models with the code " + a.Code
}

func signInError(err error) *jsonrpc.Error {
	return failure(jsonrpc.CodeInternalError, "The sign-in failed: "+err.Error(), ErrorData{Kind: "auth"})
}

// A messageSignIn is a sign-in whose address was in the message of an error: the client cannot show it otherwise. It goes
// on after that error, so that the user can open the address, until the connection ends.
type messageSignIn struct {
	mu      lock.Mutex
	attempt Attempt
	over    chan struct{} // closed at its end; nil: there is none
	err     error         // how it ended
}

// signInByMessage returns an error with the address to open; nil if the user has signed in by the address of an earlier one.
func (c *conn) signInByMessage(ctx context.Context) error {
	m := &c.byMessage
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over != nil {
		select {
		case <-m.over:
			m.over = nil
			if m.err == nil {
				return nil
			}
		default:
			return m.attempt.asError()
		}
	}
	life, cancel := context.WithCancel(c.life)
	stop := context.AfterFunc(ctx, cancel) // as long as there is no address
	attempt, err := c.cfg.SignIn.Begin(life)
	if !stop() || err != nil {
		cancel()
		return signInError(errors.Join(err, ctx.Err()))
	}
	over := make(chan struct{})
	m.attempt, m.over = attempt, over
	c.working.Go(func() {
		defer close(over)
		defer cancel()
		m.err = attempt.Wait()
	})
	return attempt.asError()
}

// asError returns the error that has the address.
func (a Attempt) asError() *jsonrpc.Error {
	message := "Open " + a.Address + " in a browser to sign in"
	if a.Code != "" {
		message += " with the code " + a.Code
	}
	return failure(jsonrpc.CodeInternalError, message+", then authenticate again", ErrorData{Kind: "auth"})
}

// signInRequired returns the error for a session that could call no model; nil if it can.
func (c *conn) signInRequired() error {
	if c.cfg.SignIn == nil || !c.cfg.SignIn.Required(c.cfg.Flags.Model) {
		return nil
	}
	return errAuthRequired
}
