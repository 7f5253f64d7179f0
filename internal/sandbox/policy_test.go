package sandbox

import (
	"strings"
	"testing"
)

func TestPolicyCheck(t *testing.T) {
	for level, want := range map[Level]string{
		0:              `"unset"`,
		ReadOnly:       "",
		WorkspaceWrite: "",
		Full:           "",
		200:            `"level 200"`,
	} {
		err := Confinement{Available: true, Network: "x"}.check(Policy{Level: level})
		switch {
		case want == "" && err != nil:
			t.Errorf("%v: %v", level, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%v: %v, want a refusal that names %s", level, err, want)
		}
	}
}
