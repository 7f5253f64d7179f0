package native

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// TestRelayOutcome: a request that another host may have done is never answered as refused, and one that no host has taken is.
func TestRelayOutcome(t *testing.T) {
	refusal := errors.New("in use")
	// What happens to a request before it is given up.
	sent := func(p *pending) { p.sent = true }
	refused := func(p *pending) { p.refused = true }
	cut := func(p *pending) { _ = p.retry() }
	for _, test := range []struct {
		name    string
		happens []func(*pending)
		unknown bool
	}{
		{"it was never sent", nil, false},
		{"no answer has come", []func(*pending){sent}, true},
		{"a host that closes has refused it", []func(*pending){sent, refused}, false},
		{"a host that closes has refused it, and the connection has ended", []func(*pending){sent, refused, cut}, false},
		{"the connection has ended", []func(*pending){sent, cut}, true},
		{"the connection has ended, and the next host has refused it", []func(*pending){sent, cut, sent, refused, cut}, true},
		{"it was waiting for the first connection", []func(*pending){cut}, false},
	} {
		for _, name := range []string{"turn/prompt", "approval/answer", "session/change", "session/state"} {
			i := slices.IndexFunc(methods(), func(m method) bool { return m.name == name })
			p := &pending{method: methods()[i], request: request{method: name}}
			for _, happen := range test.happens {
				happen(p)
			}
			err := p.failure(refusal)
			unknown := test.unknown && name != "session/state" // which only reads
			wire, _ := errors.AsType[*jsonrpc.Error](err)
			if unknown && (wire == nil || !strings.Contains(string(wire.Data), `"outcome":"unknown"`)) || !unknown && err != refusal {
				t.Errorf("%s, %s: %v", test.name, name, err)
			}
		}
	}
}
