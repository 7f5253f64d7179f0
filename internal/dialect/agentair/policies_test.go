package agentair

import (
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestDestructiveInFolder: a relative name is that of a file in the folder where the command runs.
func TestDestructiveInFolder(t *testing.T) {
	options := Options(Flags{Policy: AutoApprove})
	unasked := event.Settings{Asking: approval.AskNever, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}}
	for dir, want := range map[string]approval.Verdict{"/": approval.Deny, "/home/u": approval.Deny, "/home/u/x": approval.Allow} {
		d := options.Approvals.Decide(engine.Proposed{
			Request: approval.Request{Command: "rm -rf *", Dir: dir}, Dir: dir, Home: "/home/u", Settings: unasked,
		})
		if d.Verdict != want {
			t.Errorf("in %s: %+v", dir, d)
		}
	}
}
