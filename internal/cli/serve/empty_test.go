package serve

import "testing"

// TestJoinEmpty: a client of each protocol joins a session that another client has open and that has no prompt yet.
func TestJoinEmpty(t *testing.T) {
	h := newTestHost(t, nil)
	h.owner("empty", "")
	for _, kind := range clientKinds() {
		c := h.dial(kind, "empty")
		if refused := c.enter("empty"); refused != "" {
			t.Errorf("%s: %s", kind.name, refused)
		}
	}
}
