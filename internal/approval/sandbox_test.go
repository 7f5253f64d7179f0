package approval

import "testing"

// TestSandboxEqual: each limit makes a difference.
func TestSandboxEqual(t *testing.T) {
	base := Sandbox{Kind: SandboxWorkspace, Roots: []string{"/r"}}
	if !base.Equal(Sandbox{Kind: SandboxWorkspace, Roots: []string{"/r"}}) {
		t.Error("a sandbox is not equal to itself")
	}
	for name, change := range map[string]func(*Sandbox){
		"kind":      func(s *Sandbox) { s.Kind = SandboxReadOnly },
		"roots":     func(s *Sandbox) { s.Roots = nil },
		"network":   func(s *Sandbox) { s.Network = true },
		"named":     func(s *Sandbox) { s.NoTempDir = true },
		"slash tmp": func(s *Sandbox) { s.NoSlashTmp = true },
	} {
		other := base
		change(&other)
		if base.Equal(other) {
			t.Errorf("%s makes no difference", name)
		}
	}
}
