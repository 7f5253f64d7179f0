package sandbox

import (
	"strings"
	"testing"
)

func TestPolicyCheck(t *testing.T) {
	for policy, want := range map[Policy]string{
		0:              `"unset"`,
		ReadOnly:       `"read-only"`,
		WorkspaceWrite: `"workspace-write"`,
		Full:           "",
		200:            `"policy 200"`,
	} {
		err := policy.Check()
		switch {
		case want == "" && err != nil:
			t.Errorf("%v: %v", policy, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%v: %v, want a refusal that names %s", policy, err, want)
		}
	}
}
