package websearch

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/tool"
)

// Options are the settings of a search service.
type Options struct {
	API     string // one of APIs
	BaseURL string // "": the service's own; searxng has none
	Key     string // required by brave and tavily; searxng sends it as a bearer token, for a reverse proxy

	Transport http.RoundTripper // nil: http.DefaultTransport
}

// APIs returns the names of the supported services.
func APIs() []string { return []string{"brave", "searxng", "tavily"} }

// homes are the addresses of services; searxng has instances instead of one address.
var homes = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"brave": "https://api.search.brave.com", "tavily": "https://api.tavily.com"}
}}

// New returns the Searcher of a service. It sends no request.
func New(o Options) (tool.Searcher, error) {
	if !slices.Contains(APIs(), o.API) {
		return nil, fmt.Errorf("there is no search API %q: use one of %s", o.API, strings.Join(APIs(), ", "))
	}
	key := strings.TrimSpace(o.Key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("the key of the search API %s has characters that no key has", o.API)
	}
	if key == "" && o.API != "searxng" {
		return nil, fmt.Errorf("the search API %s needs a key", o.API)
	}
	if o.API == "searxng" && o.BaseURL == "" {
		return nil, errors.New("the search API searxng needs a base_url: the address of an instance")
	}
	base, err := baseOf(o)
	if err != nil {
		return nil, err
	}
	c := newClient(base, key, o.Transport)
	switch o.API {
	case "brave":
		return &brave{c}, nil
	case "tavily":
		return &tavily{c}, nil
	}
	c.forbidden = "refuses access, or its settings do not allow the format json"
	return &searxng{c}, nil
}

// baseOf returns the base address. It refuses one that contains a secret, which could be shown, or
// to which no path can be added.
func baseOf(o Options) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSuffix(cmp.Or(o.BaseURL, homes.Get()[o.API]), "/"))
	switch {
	case err != nil:
		return nil, errors.New("the base_url of the search API cannot be read")
	case base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "":
		return nil, errors.New("the base_url of the search API is no http or https address")
	case base.User != nil:
		return nil, errors.New("the base_url of the search API must not have a user name or password: give a key instead")
	case base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the base_url of the search API must not have a query or fragment")
	}
	return base, nil
}
