package codex

import (
	"slices"
	"testing"

	"parley.dev/parley/internal/approval"
)

// TestRefusedSubjects: each member of the policy granular stands for one kind of approvals; what may be absent is refused then.
func TestRefusedSubjects(t *testing.T) {
	yes := true
	for name, test := range map[string]struct {
		policy AskForApprovalGranular
		want   []approval.Subject
	}{
		"none":    {AskForApprovalGranular{}, []approval.Subject{approval.SubjectHook, approval.SubjectNetwork, approval.SubjectSandbox, approval.SubjectServer}},
		"all":     {AskForApprovalGranular{MCPElicitations: true, RequestPermissions: &yes, Rules: true, SandboxApproval: true, SkillApproval: &yes}, nil},
		"sandbox": {AskForApprovalGranular{SandboxApproval: true}, []approval.Subject{approval.SubjectHook, approval.SubjectNetwork, approval.SubjectServer}},
		"network": {AskForApprovalGranular{RequestPermissions: &yes}, []approval.Subject{approval.SubjectHook, approval.SubjectSandbox, approval.SubjectServer}},
		"hooks":   {AskForApprovalGranular{Rules: true}, []approval.Subject{approval.SubjectNetwork, approval.SubjectSandbox, approval.SubjectServer}},
		"servers": {AskForApprovalGranular{MCPElicitations: true}, []approval.Subject{approval.SubjectHook, approval.SubjectNetwork, approval.SubjectSandbox}},
	} {
		if got := refusedSubjects(test.policy); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
