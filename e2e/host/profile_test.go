package host

import (
	"slices"
	"testing"
)

// TestProfileStays: a session that is opened again has the approvals and tools of the protocol that it was created for,
// whatever protocol the client speaks that opens it.
func TestProfileStays(t *testing.T) {
	t.Parallel()
	p := place(t, "text One.\n")
	s := serve(t, p)
	c := s.client("a")
	for profile, tool := range map[string]string{"native": "plan", "flint": "plan", "codex": "update_plan", "loaf": "start_background_bash", "agentair": "ask_user_questions", "scaiflux": "bash", "pisces": "bash", "acp": "plan"} {
		var opened struct {
			Profile string `json:"profile"`
		}
		c.must("session/create", map[string]any{"workspace": p.Work, "id": profile, "profile": profile}, nil)
		c.must("session/save", map[string]any{"session": profile}, nil)
		c.must("session/close", map[string]any{"session": profile, "end": true}, nil)
		if c.must("session/open", map[string]any{"session": profile}, &opened); opened.Profile != profile {
			t.Errorf("%s is opened as %s", profile, opened.Profile)
		}
		var list struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		}
		c.must("tools/list", map[string]any{"session": profile}, &list)
		var names []string
		for _, t := range list.Tools {
			names = append(names, t.Name)
		}
		if len(names) == 0 || tool != "" && !slices.Contains(names, tool) {
			t.Errorf("%s has the tools %v", profile, names)
		}
	}
	c.refused("session/create", map[string]any{"workspace": p.Work, "profile": "none"}, -32602)
}
