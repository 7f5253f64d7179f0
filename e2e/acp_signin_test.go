package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/internal/model/modeltest"
)

// acpPlace returns a place with this issuer and no model that can be called without a sign-in.
func (i *issuer) acpPlace(t testing.TB) *place {
	t.Helper()
	p := i.place(t, newBackend(t, modeltest.OpenAIChat))
	p.Env = nil
	return p
}

// dialACP starts the program and initializes the connection.
func dialACP(t testing.TB, p *place, capabilities string) *client.Conn {
	t.Helper()
	c := client.Start(t, p.Command(t, "acp"))
	c.SendText(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":` + capabilities + "}}\n")
	c.Match(`^{"jsonrpc":"2.0","id":0,"result":.*"auth":{"logout":{}}}.*"authMethods":\[{"id":"sign-in"`)
	return c
}

// newACPSession requests a session and returns the response.
func newACPSession(c *client.Conn, p *place, id int) string {
	c.T.Helper()
	c.SendText(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", id, p.Work))
	return c.Match(fmt.Sprintf(`^{"jsonrpc":"2.0","id":%d,`, id))
}

// TestACPSignIn: where no model can be called a session needs a sign-in, whose address the client shows; logout forgets it.
func TestACPSignIn(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := i.acpPlace(t)
	c := dialACP(t, p, `{"elicitation":{"url":{}}}`)
	if got := newACPSession(c, p, 1); !strings.Contains(got, `"code":-32000`) {
		t.Errorf("signed out: %s", got)
	}
	c.SendText(`{"jsonrpc":"2.0","id":2,"method":"authenticate","params":{"methodId":"sign-in"}}` + "\n")
	shown := c.Match(`"method":"elicitation/create"`)
	for _, want := range []string{`"mode":"url"`, `"requestId":2`, `ABCD-1234`, `"url":"` + i.URL + `/codex/device"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %s in %s", want, shown)
		}
	}
	id := regexp.MustCompile(`"elicitationId":"([^"]+)"`).FindStringSubmatch(shown)
	if complete := c.Match(`"method":"elicitation/complete"`); !strings.Contains(complete, id[1]) {
		t.Errorf("%s after %s", complete, shown)
	}
	c.Match(`^{"jsonrpc":"2.0","id":2,"result":{}}$`)
	if got := newACPSession(c, p, 3); !strings.Contains(got, `"sessionId"`) {
		t.Errorf("signed in: %s", got)
	}
	c.SendText(`{"jsonrpc":"2.0","id":4,"method":"logout"}` + "\n")
	c.Match(`^{"jsonrpc":"2.0","id":4,"result":{}}$`)
	if got := newACPSession(c, p, 5); !strings.Contains(got, `"code":-32000`) {
		t.Errorf("signed out again: %s", got)
	}
	endACP(c)
}

// TestACPSignInByMessage: a client that cannot show the address gets it in an error.
func TestACPSignInByMessage(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.patience = 1 << 20
	c := dialACP(t, i.acpPlace(t), `{}`)
	c.SendText(`{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"sign-in"}}` + "\n")
	if got := c.Match(`^{"jsonrpc":"2.0","id":1,`); !strings.Contains(got, `"code":-32603,"message":"Open `+i.URL+`/codex/device in a browser to sign in with the code ABCD-1234`) {
		t.Error(got)
	}
	endACP(c)
}

// TestACPSignInAtTerminal: a client runs the command line in a terminal, and connects anew.
func TestACPSignInAtTerminal(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := i.acpPlace(t)
	terminal := client.Start(t, p.Command(t, "acp", "--sign-in"))
	terminal.Match(`^Open this address to sign in with the code ABCD-1234:$`)
	terminal.Match(`^` + regexp.QuoteMeta(i.URL) + `/codex/device$`)
	terminal.Match(`^signed in$`)
	if code := terminal.Code(); code != 0 {
		t.Errorf("exit code %d: %s", code, terminal.Stderr)
	}
	c := dialACP(t, p, `{"auth":{"terminal":true}}`)
	if got := newACPSession(c, p, 1); !strings.Contains(got, `"sessionId"`) {
		t.Errorf("signed in: %s", got)
	}
	endACP(c)

	bare := client.Start(t, newPlace(t).Command(t, "acp", "--sign-in"))
	bare.Drain()
	if code := bare.Code(); code != 1 || !strings.Contains(bare.Stderr.String(), "sign-in is not configured: set signin.issuer and signin.client_id") {
		t.Errorf("without an issuer: exit code %d: %s", code, bare.Stderr)
	}
}

// endACP wants the program to end with its input.
func endACP(c *client.Conn) {
	c.T.Helper()
	c.Stdin.Close()
	c.Drain()
	if code := c.Code(); code != 0 {
		c.T.Errorf("exit code %d: %s", code, c.Stderr)
	}
}
