package address

import (
	"slices"
	"strings"
	"testing"
)

// TestSchemes: the scheme can be that of each server, as other clients of NATS have it, or of the first.
func TestSchemes(t *testing.T) {
	for _, test := range []struct {
		text      string
		servers   []string
		namespace string
		err       string // a part of it
	}{
		{"nats://a:1,b", []string{"nats://a:1", "nats://b:4222"}, "parley", ""},
		{"nats://a:1,nats://b:2", []string{"nats://a:1", "nats://b:2"}, "parley", ""},
		{"tls://a,b:2,tls://c/team", []string{"tls://a:4222", "tls://b:2", "tls://c:4222"}, "team", ""},
		{"nats://a:1,tls://b:2", nil, "", "all servers have one scheme: nats://HOST:PORT,HOST:PORT/NAMESPACE"},
		{"nats://a/t,nats://b/t", nil, "", "the form is nats://HOST:PORT,HOST:PORT/NAMESPACE"},
	} {
		a, err := Parse(test.text)
		if err != nil && (test.err == "" || !strings.Contains(err.Error(), test.err)) || err == nil && test.err != "" {
			t.Errorf("%s: %v, want %q", test.text, err, test.err)
		}
		if !slices.Equal(a.Servers, test.servers) || a.Namespace != test.namespace {
			t.Errorf("%s: %+v", test.text, a)
		}
	}
}
