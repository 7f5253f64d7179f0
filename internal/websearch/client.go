package websearch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
)

const (
	maxAnswer    = 2 << 20 // bytes, after decompression
	maxRedirects = 3
)

// lenient accepts what services send: unknown fields, repeated names, invalid UTF-8.
var lenient = lazy.Value[json.Options]{New: func() json.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}}

// A client sends requests to one service. The contexts of its callers limit how long it waits.
type client struct {
	base *url.URL
	key  string // never shown; "": none
	http *http.Client

	forbidden string // the meaning of HTTP 403; "": access is refused
}

func newClient(base *url.URL, key string, transport http.RoundTripper) *client {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &client{base: base, key: key, http: &http.Client{Transport: transport, CheckRedirect: sameHost}}
}

var (
	errAway     = errors.New("it redirects to another host, and the key stays with this one")
	errCircular = errors.New("it redirects in a circle")
)

// sameHost refuses redirects that would send the key and the query to another host.
func sameHost(request *http.Request, via []*http.Request) error {
	home := via[0].URL
	switch {
	case len(via) > maxRedirects:
		return errCircular
	case request.URL.Host != home.Host, request.URL.Scheme != home.Scheme && request.URL.Scheme != "https":
		return errAway
	}
	return nil
}

// request returns a request for path, below the base address.
func (c *client) request(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Request, error) {
	target := c.base.JoinPath(path)
	target.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, errors.New("the search service cannot be asked: its base_url makes no valid address")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "parley")
	return request, nil
}

// ask sends request and decodes the response, a JSON object, into v. The error is a sentence
// without the key, or the cause of the request's context.
func (c *client) ask(request *http.Request, v any) error {
	err := c.exchange(request, v)
	if cause := context.Cause(request.Context()); err != nil && cause != nil {
		return cause
	}
	return err
}

func (c *client) exchange(request *http.Request, v any) error {
	response, err := c.http.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // without the address, which contains the query
		}
		return c.failed("the search service gives no answer: %v", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case response.StatusCode/100 != 2:
		return c.refused(response, body) // also with a part of the body
	case err != nil:
		return c.failed("the answer of the search service was cut off: %v", err)
	case len(body) > maxAnswer:
		return c.failed("the answer of the search service is longer than %d bytes", maxAnswer)
	}
	if jsontext.Value(body).Kind() != '{' || json.Unmarshal(body, v, lenient.Get()) != nil {
		return c.strange()
	}
	return nil
}

// strange returns the error for a response that is not as the API documents it.
func (c *client) strange() error {
	return c.failed("the answer is not what this search API says: check its base_url")
}

// failed returns an error in which the key is redacted.
func (c *client) failed(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if c.key != "" {
		text = strings.ReplaceAll(text, c.key, "[redacted]")
	}
	return errors.New(text)
}
