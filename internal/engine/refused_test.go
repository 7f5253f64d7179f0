package engine

import (
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// TestRefusedApprovals: a call whose approval settings refuse is denied with its reason, and no user is asked.
func TestRefusedApprovals(t *testing.T) {
	for name, test := range map[string]struct {
		refused []approval.Subject
		asks    int
	}{
		"refused":    {[]approval.Subject{approval.SubjectSandbox}, 0},
		"of another": {[]approval.Subject{approval.SubjectNetwork}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
			s := granting(t, b, func(o *Options) { o.Approvals = ApproveBySandbox{} })
			err := s.anyClient().Change(func(set *event.Settings) {
				set.Asking, set.Sandbox, set.RefusedApprovals = approval.AskOnRequest, approval.Sandbox{Kind: approval.SandboxReadOnly}, test.refused
			})
			if err != nil {
				t.Fatal(err)
			}
			asks := 0
			records := turnOf(t, s, "go", onAsked(func(id event.ApprovalID) {
				asks++
				if err := s.anyClient().Answer(id, Decision{}); err != nil {
					t.Error(err)
				}
			}))
			if done := find[event.ToolEnded](records)[0]; done.Outcome != event.Denied || asks != test.asks {
				t.Errorf("%+v after %d approvals", done, asks)
			}
		})
	}
}

// TestRefusedServers: a tool server that the settings keep from the user reaches none.
func TestRefusedServers(t *testing.T) {
	b := newBench(t, nil)
	s := granting(t, b, nil)
	for _, refused := range [][]approval.Subject{nil, {approval.SubjectServer}} {
		if err := s.anyClient().Change(func(set *event.Settings) { set.RefusedApprovals = refused }); err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		got := s.refusesServers()
		s.mu.Unlock()
		if got != (refused != nil) {
			t.Errorf("%v: %v", refused, got)
		}
	}
}
