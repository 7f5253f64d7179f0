package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/mcp/oauth"
	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/tool"
)

func mcpLogin() *cobra.Command {
	var scopes []string
	var noBrowser bool
	cmd := &cobra.Command{
		Use: "login NAME|URL", Short: "Sign in to a remote tool server", Args: cli.ExactArgs("NAME"),
		Long: `Sign in to a remote tool server by OAuth: open the printed address in a browser, and agree. The browser comes
back to this machine. The tokens are stored as those of other sign-ins, and go to this server only. Sessions
that run use them from their next request on.`,
		Example: "  parley mcp login notes\n  parley mcp login https://mcp.example.com/mcp --scopes read,write --no-browser",
		RunE: cli.WithApp(func(a *app.App, cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			return login(ctx, a, cmd, args[0], scopes, !noBrowser)
		}),
	}
	cmd.Flags().StringSliceVar(&scopes, "scopes", nil, "request these scopes, too")
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "print the address only")
	return cmd
}

func mcpLogout() *cobra.Command {
	return &cobra.Command{
		Use: "logout NAME|URL", Short: "Delete the tokens of a remote tool server", Args: cli.ExactArgs("NAME"),
		RunE: cli.WithApp(func(a *app.App, cmd *cobra.Command, args []string) error {
			server, err := remoteServer(a, args[0])
			if err != nil {
				return err
			}
			there, err := a.ServerSignIn.Logout(server)
			if err != nil {
				return err
			}
			text := "not signed in to " + args[0]
			if there {
				text = "signed out of " + args[0] + " on this machine"
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), terminal.Clean(text))
			return err
		}),
	}
}

func login(ctx context.Context, a *app.App, cmd *cobra.Command, name string, scopes []string, browser bool) error {
	server, err := remoteServer(a, name)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	account, err := a.ServerSignIn.Login(ctx, server, oauth.LoginRequest{Scopes: scopes, Show: func(address, callback string) {
		fmt.Fprintf(out, "Open this address to sign in to %s:\n\n%s\n\nWaiting for the browser to come back to %s. Ctrl-C cancels.\n",
			terminal.Clean(name), terminal.Clean(address), callback)
		if browser {
			openBrowser(address, os.Getenv, a.Environ())
		}
	}})
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("the sign-in was cancelled")
	case err != nil:
		return fmt.Errorf("sign-in to %s: %w", name, err)
	}
	text := fmt.Sprintf("signed in to %s by %s", name, account.Issuer)
	if len(account.Scopes) > 0 {
		text += "; scopes: " + strings.Join(account.Scopes, " ")
	}
	_, err = fmt.Fprintln(out, terminal.Clean(text))
	return err
}

// remoteServer returns the server that the user signs in to: a configured one, or an address.
func remoteServer(a *app.App, name string) (oauth.Server, error) {
	settings, configured := a.ServersHere()[name]
	if !configured && strings.Contains(name, "://") {
		return oauth.Server{URL: name}, nil
	}
	s := settings.Server(name, os.Getenv)
	switch {
	case !configured:
		return oauth.Server{}, fmt.Errorf("no server %q is configured: parley mcp list shows those that are", name)
	case s.Problem != "":
		return oauth.Server{}, errors.New(s.Problem)
	case s.URL == "":
		return oauth.Server{}, fmt.Errorf("the server %s is a program: there is nothing to sign in to", name)
	case hasToken(s):
		return oauth.Server{}, fmt.Errorf("the server %s has a token in the setting headers: remove the header Authorization to sign in", name)
	}
	return oauth.Server{
		URL: s.URL, Headers: s.Headers, ClientID: s.OAuth.ClientID, ClientSecret: s.OAuth.ClientSecret,
		Scopes: settings.OAuth.Scopes, CallbackPort: settings.OAuth.CallbackPort,
	}, nil
}

func hasToken(s tool.Server) bool {
	for header := range s.Headers {
		if strings.EqualFold(header, "Authorization") {
			return true
		}
	}
	return false
}

// signedIn returns whether the user is signed in to a configured server; nil: it has no sign-in.
func signedIn(a *app.App, name string) *bool {
	server, err := remoteServer(a, name)
	if err != nil {
		return nil
	}
	_, in := a.ServerSignIn.SignedIn(server)
	return &in
}
