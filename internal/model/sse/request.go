package sse

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"parley.dev/parley/internal/model"
)

// This file sends requests with net/http. Retries are the engine's.

// TrimVersion returns an address without /v1 at the end of its path; its query stays.
func TrimVersion(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // the request will fail with this error
	}
	trim := func(path string) string { return strings.TrimSuffix(strings.TrimSuffix(path, "/"), "/v1") }
	u.Path, u.RawPath = trim(u.Path), trim(u.RawPath)
	return u.String()
}

// Get requests path, which is below e.Address and may have a query. header is sent in addition to
// what every request has, and instead of it.
func (e *Endpoint) Get(ctx context.Context, path string, header http.Header) (*http.Response, error) {
	r, err := e.request(ctx, http.MethodGet, path, header)
	if err != nil {
		return nil, err
	}
	return e.client().Do(r)
}

// Post sends params as JSON to path; see [Endpoint.Get] for path and header. All that can be done
// before is done when it waits until req may leave.
func (e *Endpoint) Post(ctx context.Context, req *model.Request, path string, header http.Header, params any) (*http.Response, error) {
	b, err := encode(params)
	if err != nil {
		return nil, err
	}
	r, err := e.request(ctx, http.MethodPost, path, header)
	if err != nil {
		return nil, err
	}
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.ContentLength = b.size
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(b.reader()), nil } // for redirects and lost connections
	r.Body = io.NopCloser(b.reader())
	if err := req.Await(ctx); err != nil {
		return nil, err
	}
	return e.client().Do(r)
}

func (e *Endpoint) request(ctx context.Context, method, path string, header http.Header) (*http.Request, error) {
	base, err := url.Parse(e.Address)
	if err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(path, "?")
	u := below(base).ResolveReference(&url.URL{Path: path})
	u.RawQuery = strings.Trim(base.RawQuery+"&"+query, "&")
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{"Accept": {"application/json"}, "User-Agent": {"parley"}}
	maps.Copy(r.Header, header)
	return r, nil
}

// below returns u with a slash at the end of its path; //, as in the address of a proxy that ends with
// another address, stays.
func below(u *url.URL) *url.URL {
	slash := *u
	slash.Path = strings.TrimSuffix(u.Path, "/") + "/"
	if u.RawPath != "" {
		slash.RawPath = strings.TrimSuffix(u.RawPath, "/") + "/"
	}
	return &slash
}
