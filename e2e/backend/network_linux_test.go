package backend

import (
	"strings"
	"testing"
)

// TestNetwork: where the session has no network the process of the agent has it all the same, which a notice says, or does not
// start.
func TestNetwork(t *testing.T) {
	t.Parallel()
	for confine, wants := range map[string][]string{
		"outer":  {`"code":"backend_network"`, "One."},
		"outer!": {`"code":"start"`, "the sandbox of the session has no network"},
		"none":   {`"code":"backend_network"`, "One."},
	} {
		t.Run(confine, func(t *testing.T) {
			b := newBench(t, "say One.", map[string]any{"confine": confine})
			text, _ := b.output("run", "--json", "--sandbox", "workspace-write", "Go.")
			for _, part := range wants {
				if !strings.Contains(text, part) {
					t.Errorf("%q is missing in\n%s", part, text)
				}
			}
			text, _ = b.output("run", "--json", "--sandbox", "workspace-write", "--network", "Go.")
			if strings.Contains(text, "backend_network") || !strings.Contains(text, "One.") {
				t.Errorf("with network:\n%s", text)
			}
		})
	}
}
