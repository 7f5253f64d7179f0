package serve

import (
	"context"
	"strings"
	"testing"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/host"
)

// TestPanicOfOneClient: a defect in the server of one client ends its connection, and its part in the session. The host, the
// session and its other clients go on.
func TestPanicOfOneClient(t *testing.T) {
	var h *testHost
	begun, panics := make(chan struct{}), make(chan struct{})
	h = newTestHost(t, func(o *host.Options) {
		o.Dialects["refuses"] = func(context.Context, host.Conn) (host.Serve, error) { panic("broken at the start") }
		o.Dialects["breaks"] = func(_ context.Context, c host.Conn) (host.Serve, error) {
			s := service{speak: func(ctx context.Context, _ *app.App, c client) (int, error) {
				eng, err := c.sessions.Open(ctx, "shared", engine.Defaults())
				if err != nil {
					return 0, err
				}
				c.sessions.Attach(eng, engine.ClientInfo{Name: "breaks"})
				close(begun)
				<-panics
				panic("broken later")
			}}
			return s.hosted(h.app, h.shared, c)
		}
	})
	owner := h.owner("shared", "")
	refused := h.dial(&clientKind{name: "refuses", dialect: "refuses"}, "")
	refused.await(`"ok":false`, "internal error")
	breaking := h.dial(&clientKind{name: "breaks", dialect: "breaks"}, "")
	<-begun
	owner.await(`"method":"client/joined"`, `"breaks"`)
	close(panics)
	owner.await(`"method":"client/left"`, `"breaks"`)
	breaking.awaitEnd()
	owner.prompt("shared", "hello")
	owner.await(`"kind":"turn_ended"`, `"reason":"completed"`)
	if n := h.app.Host.Holders("shared"); n != 1 {
		t.Errorf("%d have the session open", n)
	}
	for _, wanted := range []string{"broken at the start", "broken later", "panic_test.go"} {
		if !strings.Contains(h.log.text(), wanted) {
			t.Errorf("the log does not have %q", wanted)
		}
	}
}
