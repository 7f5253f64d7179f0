package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"parley.dev/parley/internal/signin"
)

// ErrNotWanted means that the server answers without a sign-in and says nothing about one.
var ErrNotWanted = errors.New("the server wants no sign-in by OAuth")

// A LoginRequest is how the user wants to sign in.
type LoginRequest struct {
	Scopes []string // requested in addition
	// Show is called once with the address that the user opens, and where the browser is sent back to.
	Show func(address, callback string)
}

// Login signs the user in to s and stores the tokens. It ends when the user has finished in the browser, with
// ctx, or after the limit. No error contains a secret.
func (m *Manager) Login(ctx context.Context, s Server, request LoginRequest) (Account, error) {
	u, err := s.address()
	if err != nil {
		return Account{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.o.Limit, fmt.Errorf("the sign-in was not finished within %v", m.o.Limit))
	defer cancel()
	l := &login{m: m, server: s, u: u, client: m.client(ctx, u)}
	c, err := l.run(ctx, request)
	if err == nil {
		_, err = m.save(u, c, "")
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return Account{c.Issuer, c.Scopes, c.Since}, err
}

// A login is one sign-in.
type login struct {
	m      *Manager
	server Server
	u      *url.URL
	client *http.Client

	resource resource
	issuer   *oauthex.AuthServerMeta
	wanted   []string // scopes
}

func (l *login) run(ctx context.Context, request LoginRequest) (credential, error) {
	if err := l.explore(ctx, request.Scopes); err != nil {
		return credential{}, err
	}
	listener, err := l.m.o.Listen(ctx, l.server.CallbackPort)
	if err != nil {
		return credential{}, fmt.Errorf("the port for the browser's return cannot be listened on: %s", signin.Quote(err.Error()))
	}
	callback := signin.NewCallback(listener)
	defer callback.Close()
	c, err := l.register(ctx, callback.URL())
	if err != nil {
		return credential{}, err
	}
	secret := c.ClientSecret
	if !c.Registered {
		secret = l.server.ClientSecret
	}
	config := oauth2.Config{
		ClientID: c.ClientID, ClientSecret: secret, RedirectURL: callback.URL(), Scopes: l.wanted,
		Endpoint: oauth2.Endpoint{AuthURL: l.issuer.AuthorizationEndpoint, TokenURL: c.TokenEndpoint, AuthStyle: c.AuthStyle},
	}
	verifier := oauth2.GenerateVerifier()
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", c.Resource)}
	if slices.Contains(l.wanted, offlineAccess) {
		options = append(options, oauth2.SetAuthURLParam("prompt", "consent")) // OpenID Connect Core, section 11
	}
	request.Show(config.AuthCodeURL(callback.State(), options...), callback.URL())
	err = callback.Wait(ctx, func(code, issuer string) error {
		if err := l.checkIssuer(issuer); err != nil {
			return err
		}
		token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, l.client), code,
			oauth2.VerifierOption(verifier), oauth2.SetAuthURLParam("resource", c.Resource))
		if refusal, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
			return fmt.Errorf("the authorization server gives no token: %s", refusalProblem(refusal, code, verifier, secret))
		}
		if err != nil {
			return fmt.Errorf("the authorization server gives no token: %s", requestProblem(err, code, verifier, secret))
		}
		c.Scopes = l.wanted
		return c.take(token, l.m.o.Now())
	})
	return c, err
}

const offlineAccess = "offline_access"

// explore finds out where the user signs in, and which scopes to request.
func (l *login) explore(ctx context.Context, more []string) error {
	challenge, refused, err := l.m.probe(ctx, l.client, l.u, l.server)
	if err != nil {
		return err
	}
	l.resource, err = discover(ctx, l.client, l.u, challenge)
	guess := errors.Is(err, errNoMetadata)
	switch {
	case guess && !refused:
		return ErrNotWanted
	case guess:
		root := *l.u
		root.RawQuery, root.Path, root.RawPath = "", "", ""
		id := *l.u
		id.RawQuery = ""
		l.resource = resource{ID: id.String(), Servers: []string{root.String()}}
	case err != nil:
		return err
	}
	if l.issuer, err = authorizationServer(ctx, l.client, l.resource.Servers[0], guess); err != nil {
		return err
	}
	l.wanted = l.scopes(challenge, more)
	return nil
}

// scopes returns those of the configuration, the challenge, or the metadata, the first of these that has any.
// To them come those that the user has, misses, and asks for.
func (l *login) scopes(challenge Challenge, more []string) []string {
	scopes := l.server.Scopes
	if len(scopes) == 0 {
		scopes = challenge.Scopes
	}
	if len(scopes) == 0 {
		scopes = l.resource.Scopes
	}
	if old, _, err := l.m.load(l.server); err == nil && old.Issuer == l.issuer.Issuer {
		scopes = slices.Concat(scopes, old.Scopes, old.Wanted)
	}
	if slices.Contains(l.issuer.ScopesSupported, offlineAccess) { // without it some give no refresh token
		scopes = append(slices.Clip(scopes), offlineAccess)
	}
	return validScopes(slices.Concat(scopes, more))
}

// register returns a credential without tokens: of the configured client, or of one that is registered now.
func (l *login) register(ctx context.Context, redirect string) (credential, error) {
	c := credential{
		Server: identity(l.u), Resource: l.resource.ID, Issuer: l.issuer.Issuer, TokenEndpoint: l.issuer.TokenEndpoint,
		ClientID: l.server.ClientID, Since: l.m.o.Now().UTC(),
	}
	supported := l.issuer.TokenEndpointAuthMethodsSupported
	if c.ClientID != "" {
		c.AuthStyle = authStyle("", l.server.ClientSecret != "", supported)
		return c, nil
	}
	if l.issuer.RegistrationEndpoint == "" {
		return credential{}, fmt.Errorf("the authorization server %s registers no programs: register this one there, with the redirect address http://127.0.0.1/auth/callback, and set oauth.client_id", l.issuer.Issuer)
	}
	method := "none"
	if len(supported) > 0 && !slices.Contains(supported, method) {
		method = supported[0]
		if i := slices.IndexFunc(supported, func(m string) bool { return strings.HasPrefix(m, "client_secret_") && !strings.HasSuffix(m, "_jwt") }); i >= 0 {
			method = supported[i]
		}
	}
	registered, err := oauthex.RegisterClient(ctx, l.issuer.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: method, ApplicationType: "native",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		ClientName: "Parley", SoftwareID: "parley", SoftwareVersion: l.m.o.Version, Scope: strings.Join(l.wanted, " "),
	}, l.client)
	if err != nil {
		problem := requestProblem(err)
		if strings.HasPrefix(err.Error(), "failed to decode successful") { // it quotes the secret
			problem = "its answer cannot be read"
		}
		return credential{}, fmt.Errorf("this program cannot be registered with the authorization server: %s", problem)
	}
	c.ClientID, c.ClientSecret, c.Registered = registered.ClientID, registered.ClientSecret, true
	c.AuthStyle = authStyle(registered.TokenEndpointAuthMethod, c.ClientSecret != "", supported)
	return c, nil
}

// authStyle returns how the program identifies itself to the token endpoint: as it was registered, or as the
// endpoint supports it.
func authStyle(registered string, secret bool, supported []string) oauth2.AuthStyle {
	inHeader := len(supported) == 0 || slices.Contains(supported, "client_secret_basic")
	switch {
	case !secret, registered == "client_secret_post":
		return oauth2.AuthStyleInParams
	case registered == "client_secret_basic", inHeader:
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// checkIssuer compares the issuer that the redirect names (RFC 9207), so that the code of one
// authorization server is not given to another.
func (l *login) checkIssuer(issuer string) error {
	switch {
	case issuer == l.issuer.Issuer, issuer == "" && !l.issuer.AuthorizationResponseIssParameterSupported:
		return nil
	case issuer == "":
		return errors.New("the redirect does not name its issuer, though the authorization server promises it")
	}
	return fmt.Errorf("the redirect is from another issuer, %s", signin.Quote(issuer))
}
