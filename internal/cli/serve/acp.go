package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/dialect/acp"
	"parley.dev/parley/internal/terminal"
)

// ACP returns the command that serves the Agent Client Protocol.
func ACP(j Joining) *cobra.Command { return acpCommand(thisProcess, j.run) }

func acpCommand(from caller, run runner) *cobra.Command {
	var f acp.Flags
	var signsIn bool
	cmd := &cobra.Command{
		Use: "acp", Short: "Serve the Agent Client Protocol, for editors: JSON-RPC lines, many sessions per process", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := acp.CheckMode(f.Mode); err != nil {
				return fmt.Errorf("--mode: %w", err)
			}
			f.Model = cmp.Or(f.Model, from.model)
			f.Unstable = f.Unstable || from.getenv("PARLEY_ACP_UNSTABLE") == "1"
			f.V2 = f.V2 || from.getenv("PARLEY_ACP_V2") == "1"
			if signsIn {
				return run(signInService())
			}
			return run(acpService(f).withStore(cmd))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Model, "model", "", "model of new sessions (default: the configured one)")
	flags.StringVar(&f.Mode, "mode", "", "mode of new sessions: plan, ask, auto-edit, auto or full-access (default: ask)")
	flags.BoolVar(&f.Unstable, "unstable", false, "offer the unstable part of the protocol (also: PARLEY_ACP_UNSTABLE=1)")
	flags.BoolVar(&f.V2, "v2", false, "speak the draft of version 2 with clients that ask for it (also: PARLEY_ACP_V2=1)")
	flags.BoolVar(&f.NoFiles, "no-client-fs", false, "read and write files on disk, not through the client")
	flags.BoolVar(&f.NoTerminal, "no-client-terminal", false, "run commands here, not in terminals of the client")
	flags.BoolVar(&signsIn, acp.SignInFlag, false, "sign in to the provider of models at this terminal, and end")
	addServeFlags(flags)
	return cmd
}

// signInService returns what signs the user in at the terminal, for clients that start it there.
func signInService() service {
	return service{
		dialect: "acp", ownProcess: "--" + acp.SignInFlag, local: true,
		speak: func(ctx context.Context, a *app.App, c client) (int, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go func() {
				select {
				case <-c.stop:
					cancel()
				case <-ctx.Done():
				}
			}()
			return cli.ExitOK, cli.Failed(signInAtTerminal(ctx, acpSignIn(a), c.out))
		},
	}
}

// signInAtTerminal shows the address of a sign-in, and waits for its end.
func signInAtTerminal(ctx context.Context, in acp.SignIn, out io.Writer) error {
	if in == nil {
		return errors.New("sign-in is not configured: set signin.issuer and signin.client_id")
	}
	attempt, err := in.Begin(ctx)
	if err != nil {
		return fmt.Errorf("sign-in: %w", err)
	}
	code := ""
	if attempt.Code != "" {
		code = " with the code " + attempt.Code
	}
	fmt.Fprintf(out, "Open this address to sign in%s:\n\n%s\n\nWaiting for you to agree there. Ctrl-C cancels.\n", terminal.Clean(code), terminal.Clean(attempt.Address))
	switch err := attempt.Wait(); {
	case ctx.Err() != nil:
		return errors.New("the sign-in was cancelled")
	case err != nil:
		return fmt.Errorf("sign-in: %w", err)
	}
	_, err = fmt.Fprintln(out, "signed in")
	return err
}

// acpService returns what serves the protocol with these flags.
func acpService(f acp.Flags) service {
	return service{
		dialect: "acp",
		speak: func(ctx context.Context, a *app.App, c client) (int, error) {
			return acp.Serve(ctx, acp.Config{
				Host: c.sessions, Rights: c.rights, In: c.in, Out: c.out, Log: a.Log, Version: cli.Version, Flags: f, SignIn: acpSignInOf(a, c), Stop: c.stop,
			}), nil
		},
	}
}
