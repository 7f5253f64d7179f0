package serve

import "testing"

// TestJoinEmpty: a client of each protocol joins a session that another client has open and that has no prompt yet. The one of loaf
// has a message for saved chats only.
func TestJoinEmpty(t *testing.T) {
	h := newTestHost(t, nil)
	owner := h.dial(clientKinds()[0], "empty")
	owner.send(owner.fill(`{"jsonrpc":"2.0","id":"create","method":"session/create","params":{"workspace":"$DIR","id":"$SESSION"}}`, "empty"))
	owner.await(`"id":"create","result"`)
	for _, kind := range clientKinds() {
		if kind.name == "loaf" {
			continue
		}
		c := h.dial(kind, "empty")
		if refused := c.enter("empty"); refused != "" {
			t.Errorf("%s: %s", kind.name, refused)
		}
	}
}
