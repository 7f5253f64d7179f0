package websearch

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"parley.dev/parley/internal/tool"
)

// Options say which service is asked.
type Options struct {
	API     string // one of APIs
	BaseURL string // "": the service's own; searxng has none
	Key     string // brave and tavily need one; searxng sends it as a bearer token, for a proxy before it

	Transport http.RoundTripper // nil: http.DefaultTransport
}

// APIs is the services that are known.
func APIs() []string { return []string{"brave", "searxng", "tavily"} }

// homes are where services are; an instance of searxng can be anywhere.
var homes = map[string]string{"brave": "https://api.search.brave.com", "tavily": "https://api.tavily.com"}

// New is the Searcher of a service. It asks nothing yet.
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

// baseOf refuses what would put a secret where it could be shown, or a path where none can be.
func baseOf(o Options) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSuffix(cmp.Or(o.BaseURL, homes[o.API]), "/"))
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
