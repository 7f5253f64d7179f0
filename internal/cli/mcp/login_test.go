package mcpcmd

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/mcp/oauth"
	"parley.dev/parley/internal/mcp/oauth/oauthtest"
)

// TestMCPLogin checks what the user sees of a sign-in, that it can be cancelled, and which servers have none.
func TestMCPLogin(t *testing.T) {
	remote := oauthtest.New(t)
	manager := oauth.New(oauth.Options{Store: oauthtest.Store(t)})
	defer manager.Close()
	a := &app.App{ServerSignIn: manager, Settings: config.Config{Settings: config.Settings{MCPServers: map[string]config.MCPServer{
		"notes":   {URL: remote.Address(), OAuth: config.OAuthSettings{Scopes: []string{"a"}}},
		"program": {Command: "x"},
		"token":   {URL: remote.Address(), Headers: map[string]string{"authorization": "Bearer x"}},
	}}}}
	for name, want := range map[string]string{
		"unknown": `no server "unknown" is configured`,
		"program": "there is nothing to sign in to",
		"token":   "has a token in the setting headers",
	} {
		if err := login(t.Context(), a, &cobra.Command{}, name, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if name != "unknown" && signedIn(a, name) != nil {
			t.Errorf("%s: there is a sign-in", name)
		}
	}
	login := func(ctx context.Context, name string, at func(address string)) (string, error) {
		r, w := io.Pipe()
		cmd := &cobra.Command{}
		cmd.SetOut(w)
		ended := make(chan error, 1)
		go func() {
			ended <- login(ctx, a, cmd, name, []string{"b"}, false)
			w.Close()
		}()
		var text strings.Builder
		for lines := bufio.NewScanner(r); lines.Scan(); {
			text.WriteString(lines.Text() + "\n")
			if strings.HasPrefix(lines.Text(), "http") {
				go at(lines.Text())
			}
		}
		return text.String(), <-ended
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := login(ctx, "notes", func(string) { cancel() }); err == nil || err.Error() != "the sign-in was cancelled" {
		t.Error(err)
	}
	if in := signedIn(a, "notes"); in == nil || *in {
		t.Errorf("%v", in)
	}
	visit := func(address string) { _, _ = oauthtest.Visit(address) }
	if text, err := login(t.Context(), "notes", visit); err != nil || !strings.HasSuffix(text, "signed in to notes by "+remote.URL+"; scopes: a b\n") {
		t.Errorf("%v: %s", err, text)
	}
	if in := signedIn(a, "notes"); in == nil || !*in {
		t.Errorf("%v", in)
	}
	if text, err := login(t.Context(), remote.Address(), visit); err != nil || !strings.Contains(text, "signed in to "+remote.Address()) {
		t.Errorf("by address: %v: %s", err, text)
	}
}

// TestBrowserCommand checks that a browser is opened only where the user sits.
func TestBrowserCommand(t *testing.T) {
	for _, test := range []struct{ system, set, want string }{
		{"darwin", "", "open"},
		{"linux", "DISPLAY", "xdg-open"},
		{"linux", "WAYLAND_DISPLAY", "xdg-open"},
		{"linux", "", ""},
		{"linux", "DISPLAY SSH_CONNECTION", ""},
		{"darwin", "SSH_TTY", ""},
	} {
		getenv := func(name string) string {
			if strings.Contains(" "+test.set+" ", " "+name+" ") {
				return "x"
			}
			return ""
		}
		if got := strings.Join(browserCommand(test.system, getenv), " "); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
