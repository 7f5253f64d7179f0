package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestEscalate: a command that the model requests to run outside of the sandbox runs there once the user has allowed it, and that time
// only.
func TestEscalate(t *testing.T) {
	for _, row := range []struct {
		name   string
		asking approval.Asking
		allow  bool
		want   event.Outcome
		output string
		asked  int
	}{
		{"allowed", approval.AskOnRequest, true, event.Succeeded, "", 1},
		{"denied", approval.AskOnRequest, false, event.Denied, "the user denied this call", 1},
		{"never", approval.AskNever, false, event.Denied, "the command is to run outside of the sandbox", 0},
		{"unless trusted", approval.AskUnlessTrusted, true, event.Succeeded, "", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			outside := filepath.Join(t.TempDir(), "made")
			escalated, _ := json.Marshal(map[string]any{"command": "echo 1 >" + outside, "escalate": true, "justification": "it installs"})
			confined, _ := json.Marshal(map[string]any{"command": "echo 2 >" + outside})
			b := newBench(t, nil, call(toolCall("a", "shell", string(escalated))), call(toolCall("b", "shell", string(confined))), say("ok"))
			b.tools["shell"] = tool.Shell()
			s := commanding(t, b, func(o *Options, settings *event.Settings) {
				o.Approvals, o.Escalation = ApproveBySandbox{}, true
				settings.Asking, settings.Sandbox = row.asking, approval.Sandbox{Kind: approval.SandboxWorkspace, NoTempDir: true, NoSlashTmp: true}
			})
			if !s.work.env.Confines() {
				t.Skip("nothing can be confined here")
			}
			t.Cleanup(s.Attach(ClientInfo{}).Detach)
			asked := 0
			records := turnOf(t, s, "go", func(rec event.Record) {
				e, ok := rec.Event.(event.ApprovalAsked)
				if !ok {
					return
				}
				allow := false
				if e.Call == "a" {
					asked++
					allow = row.allow
					if !e.Request.Escalate || e.Request.Justification != "it installs" || e.Reason != "the command is to run outside of the sandbox" {
						t.Errorf("asked with %+v, %q", e.Request, e.Reason)
					}
				}
				if err := s.anyClient().Answer(e.ID, Decision{Allow: allow}); err != nil {
					t.Error(err)
				}
			})
			done := find[event.ToolEnded](records)
			if asked != row.asked || done[0].Outcome != row.want || !strings.Contains(done[0].Output, row.output) {
				t.Errorf("asked %d times, %+v", asked, done[0])
			}
			text, _ := os.ReadFile(outside)
			if want := map[bool]string{true: "1\n"}[row.allow]; string(text) != want {
				t.Errorf("written: %q, want %q", text, want)
			}
			if b := done[1]; b.Outcome == event.Succeeded {
				t.Errorf("the next command: %+v", b)
			}
		})
	}
}

// TestEscalationOffered: models are offered to leave the sandbox where the options allow it, and nowhere else.
func TestEscalationOffered(t *testing.T) {
	for _, offered := range []bool{false, true} {
		b := newBench(t, nil, call(toolCall("a", "shell", `{"command":"true","escalate":true}`)), say("ok"))
		b.tools["shell"] = tool.Shell()
		s := commanding(t, b, func(o *Options, _ *event.Settings) { o.Escalation = offered })
		done := find[event.ToolEnded](turnOf(t, s, "go", nil))[0]
		if (done.Outcome == event.Succeeded) != offered || strings.Contains(done.Output, "cannot leave the sandbox") == offered {
			t.Errorf("offered %t: %+v", offered, done)
		}
		if schema := string(b.requests()[0].Tools[0].Schema); strings.Contains(schema, "justification") != offered || strings.Contains(schema, "escalate") != offered {
			t.Errorf("offered %t: %s", offered, schema)
		}
	}
}
