package config

import (
	"net/url"
	"strings"
	"testing"
)

func TestEndpointAddress(t *testing.T) {
	const gemini = "https://generativelanguage.googleapis.com/v1beta/openai"
	for _, c := range []struct{ address, usual, want string }{
		{"http://host", "", "http://host/v1"},
		{"http://host/", "", "http://host/v1"},
		{"http://host:8000/v1", "", "http://host:8000/v1"},
		{"http://host/v1/", "", "http://host/v1"},
		{"http://host/v1/chat/completions", "", "http://host/v1"},
		{"http://host/chat/completions", "", "http://host"},
		{"http://host/v1/messages", "", "http://host/v1"},
		{"http://host/v1/responses/", "", "http://host/v1"},
		{"http://host/a/b", "", "http://host/a/b"},
		{"https://house.openai.azure.com/openai/v1?api-version=preview", "", "https://house.openai.azure.com/openai/v1?api-version=preview"},
		{"https://api.perplexity.ai", "", "https://api.perplexity.ai"},
		{"https://proxy", gemini, "https://proxy/v1beta/openai"},
	} {
		if got, err := EndpointAddress(c.address, c.usual); got != c.want || err != nil {
			t.Errorf("%s is %s, %v; want %s", c.address, got, err, c.want)
		}
	}
	for address, problem := range map[string]string{
		"localhost:8000/v1": "write http://localhost:8000/v1", "host": "has no scheme", "ftp://host/v1": "neither http:// nor https://", "http:///v1": "names no host",
		"http://bad host/": "is not an address",
	} {
		if got, err := EndpointAddress(address, ""); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s is %s, %v", address, got, err)
		}
	}
}

// FuzzEndpointAddress checks that what is read was accepted is an address.
func FuzzEndpointAddress(f *testing.F) {
	for _, address := range []string{"http://host", "http://host/v1/chat/completions?a=b", "https://[::1]:8000//v1//", "host", "http://user:pass@host/%2f#x"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		once, err := EndpointAddress(address, "")
		if err != nil {
			return
		}
		if _, err := url.Parse(once); err != nil {
			t.Errorf("%q becomes %q: %v", address, once, err)
		}
	})
}
