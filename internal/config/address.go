package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// This file reads the addresses of endpoints as users write them.

// operations are the last parts of addresses that wires add themselves.
var operations = []string{"/chat/completions", "/completions", "/responses", "/messages", "/models"}

// rootHosts are hosts whose API has no path of its own.
var rootHosts = []string{"api.perplexity.ai"}

// EndpointAddress returns address as the base of requests: without an operation at its end, and with
// the path of usual, else /v1, where it has none. usual is the built-in address of the provider; "": it
// has none. The query stays.
func EndpointAddress(address, usual string) (string, error) {
	if !strings.Contains(address, "://") {
		return "", fmt.Errorf("%q has no scheme: write http://%s or https://%s", address, address, address)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is not an address", address)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q begins with neither http:// nor https://", address)
	case u.Host == "":
		return "", fmt.Errorf("%q names no host", address)
	}
	path := strings.TrimRight(u.Path, "/")
	for _, operation := range operations {
		if rest, found := strings.CutSuffix(path, operation); found {
			path = rest
			break
		}
	}
	if path == "" && strings.TrimRight(u.Path, "/") == "" && !slices.Contains(rootHosts, u.Hostname()) {
		path = "/v1"
		if known, err := url.Parse(usual); err == nil && known.Path != "" {
			path = known.Path
		}
	}
	u.Path, u.RawPath, u.Fragment = path, "", ""
	return u.String(), nil
}

// PlainURL returns an address without what may be secret in it: user, query and fragment.
func PlainURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(unreadable)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
