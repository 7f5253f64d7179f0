package modeltest

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// A Client is how a provider under test is to reach its server.
type Client struct {
	BaseURL string
	Key     string
	Headers map[string]string
	HTTP    *http.Client
	Idle    time.Duration // 0: the provider's default
}

// A cutting is a transport that asks once, and answers every request with that response. No read of its body goes
// across the place at.
type cutting struct {
	http.RoundTripper
	at int

	first *http.Response // nil before the first request
	body  []byte         // of first
}

func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.first == nil {
		first, err := c.RoundTripper.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		defer first.Body.Close()
		if c.body, err = io.ReadAll(first.Body); err != nil {
			return nil, err
		}
		c.first = first
	}
	response := *c.first
	response.Request, response.Header = r, c.first.Header.Clone()
	response.Body = io.NopCloser(&cutReader{bytes.NewReader(c.body), c.at})
	return &response, nil
}

type cutReader struct {
	*bytes.Reader
	left int // bytes to the cut; 0: there are none
}

func (b *cutReader) Read(p []byte) (int, error) {
	if b.left > 0 && len(p) > b.left {
		p = p[:b.left]
	}
	n, err := b.Reader.Read(p)
	b.left = max(b.left-n, 0)
	return n, err
}
