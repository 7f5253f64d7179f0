package signin

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	usualProvider = "openai"
	usualPort     = 1455 // the one that clients are registered with
	usualLimit    = 15 * time.Minute
	requestLimit  = 30 * time.Second // for one request to the issuer
)

// Options are the issuer of a sign-in, and where its tokens are stored.
type Options struct {
	Store *Store // needed

	Provider string   // "": openai; what events and the store call it
	Issuer   string   // its address; "": there is no sign-in
	ClientID string   // what the issuer calls this program; "": there is no sign-in
	Scopes   []string // nil: an identity, and the right to renew it

	HTTP    *http.Client     // nil: one of its own
	Now     func() time.Time // nil: time.Now
	Limit   time.Duration    // 0: 15 minutes; how long a user may take
	Environ []string         // nil: os.Environ; decides what Auto is
	Port    int              // 0: 1455; where the browser comes back; any free port if it is taken
}

// withDefaults fills in what was left out.
func (o Options) withDefaults() Options {
	o.Provider = cmp.Or(o.Provider, usualProvider)
	o.Issuer = strings.TrimRight(o.Issuer, "/")
	o.Limit = cmp.Or(o.Limit, usualLimit)
	o.Port = cmp.Or(o.Port, usualPort)
	if o.Scopes == nil {
		o.Scopes = []string{"openid", "profile", "email", "offline_access"}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Environ = environOr(o.Environ)
	o.HTTP = stationary(o.HTTP)
	return o
}

// stationary returns a client that follows no redirect: codes and tokens are for the issuer alone.
func stationary(from *http.Client) *http.Client {
	client := &http.Client{}
	if from != nil {
		*client = *from
	}
	client.Timeout = cmp.Or(client.Timeout, requestLimit)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// check is ErrNotConfigured, or says why the issuer cannot be trusted with a secret.
func (o Options) check() error {
	if o.Issuer == "" || o.ClientID == "" {
		return ErrNotConfigured
	}
	issuer, err := url.Parse(o.Issuer)
	switch {
	case err != nil, issuer.Host == "":
		return errors.New("the issuer of the sign-in is no valid address")
	case issuer.User != nil, issuer.RawQuery != "", issuer.Fragment != "":
		return errors.New("the issuer of the sign-in has to be a plain address, without a user, a query or a fragment")
	case issuer.Scheme != "https" && (issuer.Scheme != "http" || !local(issuer.Hostname())):
		return errors.New("the issuer of the sign-in has to be an https address, or one of this machine")
	}
	return nil
}

// local reports whether a host is this machine, whatever the network says.
func local(host string) bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, host)
}

// methodFor settles Auto: a browser can come back only to the machine that the user sits at.
func methodFor(asked Method, system string, environ []string) Method {
	if asked != Auto {
		return asked
	}
	set := func(name string) bool { return variable(environ, name) != "" }
	switch {
	case set("CI"), set("SSH_CONNECTION"), set("SSH_CLIENT"), set("SSH_TTY"):
		return DeviceCode // SSH_AUTH_SOCK is left out: agents run on desktops too
	case system == "linux" && !set("DISPLAY") && !set("WAYLAND_DISPLAY"):
		return DeviceCode
	}
	return Browser
}

func environOr(environ []string) []string {
	if environ == nil {
		return os.Environ()
	}
	return environ
}

// variable returns the value of name; of several the last one, as programs see it.
func variable(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
