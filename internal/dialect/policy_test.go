package dialect

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestSetPolicy: a flag changes the permissions of sessions of the same protocol, and is refused with those of others. A client that
// switches to one of another protocol is refused unless the flag limits nothing; it never gets more than the session allows.
func TestSetPolicy(t *testing.T) {
	asks := event.Settings{Asking: approval.AskAlways, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}}
	set, switched := SetPolicy, SwitchPolicy
	for _, c := range []struct {
		how     func(*engine.Session, string, string, func(*event.Settings)) error
		made    string
		chosen  approval.SandboxKind
		refused bool
		changed bool
	}{
		{set, "own", approval.SandboxReadOnly, false, true},
		{set, "own", approval.SandboxNone, false, true},
		{set, "other", approval.SandboxReadOnly, true, false},
		{set, "other", approval.SandboxNone, true, false},
		{set, "", approval.SandboxNone, true, false},
		{switched, "own", approval.SandboxReadOnly, false, true},
		{switched, "own", approval.SandboxNone, false, true},
		{switched, "other", approval.SandboxReadOnly, true, false},
		{switched, "other", approval.SandboxNone, false, false},
	} {
		s := newSessionOf(t, c.made, asks)
		err := c.how(s, "own", "--sandbox", func(settings *event.Settings) {
			settings.Asking, settings.Sandbox = approval.AskNever, approval.Sandbox{Kind: c.chosen}
		})
		if got := err != nil && strings.Contains(err.Error(), "keeps its permissions"); got != c.refused || (err != nil) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
		if now := s.State().Settings; (now.Asking == approval.AskNever && now.Sandbox.Kind == c.chosen) != c.changed {
			t.Errorf("%+v: %+v", c, now)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
