package modeltest

import (
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

// cutting is a transport whose response bodies never let one read go across the place at.
type cutting struct {
	http.RoundTripper
	at int
}

func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = &cutBody{ReadCloser: response.Body, left: c.at}
	}
	return response, err
}

type cutBody struct {
	io.ReadCloser
	left int // bytes to the cut; 0: it is behind us
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left > 0 && len(p) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left = max(b.left-n, 0)
	return n, err
}
