package security

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/mcp/oauth/oauthtest"
)

// TestServerTokensStayOut signs in to a tool server that repeats its token in results and errors: the token
// is in the file of secrets only, and no longer there after the sign-out.
func TestServerTokensStayOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	remote := oauthtest.New(t)
	var repeated bool
	remote.Next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("Authorization")
		s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, &mcp.ServerOptions{Instructions: "my token is " + token})
		mcp.AddTool(s, &mcp.Tool{Name: "look", Description: "it was " + token}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			repeated = true
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "you sent " + token}}}, nil, nil
		})
		mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}).ServeHTTP(w, r)
	})
	p.write("home/.config/parley/config.jsonc", fmt.Sprintf(`{"secrets_in_file": true, "log": "debug", "permission_mode": "danger-full-access", "mcp_servers": {"notes": {"url": %q}}}`, remote.Address()), 0o600)
	p.Plays(p.t, "call mcp__notes__look {}\nusage in=1 out=1\n\ntext done\n")

	if e := p.run("mcp", "test", "notes"); e.code != 1 || !strings.Contains(e.stdout, "it wants a sign-in: run `parley mcp login notes`") {
		t.Errorf("%+v", e)
	}
	d := client.Start(t, p.Command(t, "mcp", "login", "notes", "--no-browser"))
	if _, err := oauthtest.Visit(d.Match("^http")); err != nil {
		t.Fatal(err)
	}
	d.Match("^signed in to notes by http://127.0.0.1:.*; scopes: notes$")

	shown := ""
	for _, args := range [][]string{{"run", "--json", "go"}, {"mcp", "test", "notes"}, {"mcp", "test", "notes", "--json"}, {"mcp", "list"}, {"mcp", "list", "--json"}, {"config", "show"}, {"doctor"}} {
		e := p.run(args...)
		shown += e.stdout + e.stderr
	}
	if !repeated || !strings.Contains(shown, "you sent Bearer [hidden]") || !strings.Contains(shown, "enabled, signed in") {
		t.Errorf("the tool was called: %v; %s", repeated, shown)
	}
	if strings.Contains(shown, oauthtest.Mark) {
		t.Errorf("a token is shown:\n%s", shown)
	}
	secrets := filepath.Join(p.State(), "secrets", "secrets.json")
	if info, err := os.Stat(secrets); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if found := p.filesWith(oauthtest.Mark); len(found) != 1 || found[0] != secrets {
		t.Errorf("tokens are in %q", found)
	}
	if e := p.run("mcp", "logout", "notes"); e.code != 0 {
		t.Errorf("%+v", e)
	}
	if found := p.filesWith(oauthtest.Mark); len(found) != 0 {
		t.Errorf("after the sign-out, tokens are in %q", found)
	}
}

// filesWith returns the files of the place that contain a text.
func (p *place) filesWith(text string) (found []string) {
	p.t.Helper()
	stage.EachFile(p.t, func(path string, data []byte) {
		if strings.Contains(string(data), text) {
			found = append(found, path)
		}
	}, p.Root)
	return found
}
