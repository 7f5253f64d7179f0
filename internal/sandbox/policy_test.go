package sandbox

import (
	"strings"
	"testing"
)

func TestPolicyCheck(t *testing.T) {
	for level, want := range map[Level]string{
		0:              `"unset"`,
		ReadOnly:       `"read-only"`,
		WorkspaceWrite: `"workspace-write"`,
		Full:           "",
		200:            `"level 200"`,
	} {
		err := Policy{Level: level}.Check()
		switch {
		case want == "" && err != nil:
			t.Errorf("%v: %v", level, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%v: %v, want a refusal that names %s", level, err, want)
		}
	}
}
