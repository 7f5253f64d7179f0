package serve

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/host"
)

// TestStoppingHost: a host that stops while a turn runs sends each client the end of that turn, and then ends its connection; a
// native client is sent why its sessions are closed, also of one that is idle.
func TestStoppingHost(t *testing.T) {
	h := newTestHost(t, nil)
	owner := h.owner("busy", "danger-full-access")
	owner.prompt("busy", "shell echo begun; sleep 1000")
	owner.await(`"kind":"tool_output"`)
	idle := h.owner("idle", "")
	clients := []*testClient{owner}
	for _, kind := range clientKinds() {
		c := h.dial(kind, "busy")
		if refused := c.enter("busy"); refused != "" {
			t.Fatal(refused)
		}
		clients = append(clients, c)
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		if c.kind.ended != nil {
			c.await(c.kind.ended...)
		}
		if c.kind.dialect == "native" {
			c.await(`"method":"session/closed"`, `"reason":"closing"`)
		}
		c.awaitEnd()
	}
	idle.await(`"method":"session/closed"`, `"reason":"closing"`)
	idle.awaitEnd()
}

// TestFullHost: a host with as many clients as it takes reads what the next one says before it refuses it, also if that comes
// late, and the next has a place once one has left.
func TestFullHost(t *testing.T) {
	h := newTestHost(t, func(o *host.Options) { o.MaxClients = 1 })
	first := h.owner("s", "")
	for range 3 {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer out.Close()
		_, err = host.Relay(h.socket, host.Preamble{Parley: 1, Dialect: "native", Cwd: h.work}, in, out, nil, nil)
		if err == nil || !strings.Contains(err.Error(), "as many clients as it takes (1; --max-clients)") {
			t.Errorf("the relay ends with %v", err)
		}
		if exit, ok := errors.AsType[*cli.ExitError](relayed(0, err)); !ok || exit.Code != cli.ExitFailed {
			t.Errorf("the command ends with %+v", exit)
		}
	}
	first.leave()
	first.awaitEnd()
	for {
		c := h.dial(&clientKind{name: "next", dialect: "native"}, "")
		if strings.Contains(c.awaitAny(func(string) bool { return true }, "answer"), `"ok":true`) {
			break
		}
	}
}

// TestSecondHost: the error of a second host names the process of the first.
func TestSecondHost(t *testing.T) {
	h := newTestHost(t, nil)
	_, err := host.Open(host.Options{Home: h.app.Settings.Home})
	if err == nil || !strings.Contains(err.Error(), "another host (process ") {
		t.Errorf("a second host: %v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(h.app.Settings.Home, "run", "host.lock")); !strings.Contains(err.Error(), strings.TrimSpace(string(text))) {
		t.Errorf("the lock has %q, the error is %v", text, err)
	}
}
