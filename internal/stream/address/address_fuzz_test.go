package address

import (
	"slices"
	"strings"
	"testing"
)

// FuzzParseAddress: an address that is accepted has servers with a scheme and a port, a namespace that can be a part of a subject, no
// password, and is the same when it is parsed again.
func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"nats://127.0.0.1:4222", "tls://a,b:1,[::1]/team_1", "nats://u:p@h", "nats://", "nats://a/b/c", "nats://a?x", "tls://a\tb", "nats://[::1%25lo]:1", "nats://\xca", "nats://a b", "nats://[::1", "nats://::", "nats://a:1,nats://b:2/t", "nats://a,tls://b", "nats://ä:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			if strings.Contains(text, "@") && strings.Contains(err.Error(), text) {
				t.Errorf("the error repeats what could be a password: %v", err)
			}
			return
		}
		if !namespacePattern.Get().MatchString(a.Namespace) || len(a.Servers) == 0 || strings.Contains(a.String(), "@") {
			t.Fatalf("%q: %+v", text, a)
		}
		again, err := Parse(join(a))
		if err != nil || again.Namespace != a.Namespace || !slices.Equal(again.Servers, a.Servers) {
			t.Errorf("%q: %+v, and again %+v, %v", text, a, again, err)
		}
	})
}

// join returns an address as a user writes it: the scheme once.
func join(a Address) string {
	scheme, _, _ := strings.Cut(a.Servers[0], "://")
	servers := make([]string, len(a.Servers))
	for i, server := range a.Servers {
		servers[i] = strings.TrimPrefix(server, scheme+"://")
	}
	return scheme + "://" + strings.Join(servers, ",") + "/" + a.Namespace
}
