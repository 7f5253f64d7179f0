package serve

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/host/socket"
)

// codexFlags is the command line of app-server as it is written.
type codexFlags struct {
	listen    string
	overrides []string
	tokens    socket.Tokens
	skew      int // seconds
}

// Codex returns the commands of the app-server protocol of codex.
func Codex(j Joining) *cobra.Command {
	cmd := &cobra.Command{
		Use: "codex", Short: "Serve the app-server protocol of Codex: JSON-RPC lines, many threads per process",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return fmt.Errorf("there is no %q here: the commands are app-server, exec and --version", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asked, _ := cmd.Flags().GetBool("version"); asked {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), codex.VersionLine())
				return cli.Failed(err)
			}
			return errors.New("a command is needed: app-server or exec")
		},
	}
	cmd.Flags().BoolP("version", "V", false, "print the version of the protocol as Codex does")
	cmd.AddCommand(codexAppServer(codex.NewProcess(), thisProcess, j.run), codexExec())
	return cmd
}

// codexServes is the command of the dialect that serves clients; its other ones join no host.
const codexServes = "app-server"

// codexAppServer returns the command that serves clients, which share a process.
func codexAppServer(process *codex.Process, from caller, run runner) *cobra.Command {
	var f codexFlags
	cmd := &cobra.Command{
		Use: codexServes, Short: "Serve clients on stdio, a Unix socket or WebSockets", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if print, _ := cmd.Flags().GetBool("print-startup-config"); print {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), "{}")
				return cli.Failed(err)
			}
			if stdio, _ := cmd.Flags().GetBool("stdio"); stdio {
				f.listen = stdioAddress
			}
			s, err := f.service(process, from)
			if err != nil {
				return err
			}
			return run(s.withStore(cmd))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", stdioAddress, "stdio://, unix://, unix://PATH, ws://IP:PORT or off")
	flags.Bool("stdio", false, "serve stdio")
	flags.StringArrayVarP(&f.overrides, "config", "c", nil, "override of the configuration for new threads, KEY=VALUE (repeatable)")
	for _, name := range []string{"analytics-default-enabled", "startup-sign-out", "strict-config", "print-startup-config"} {
		flags.Bool(name, false, "taken for the sake of clients")
	}
	for _, name := range []string{"enable", "disable", "startup-client-info"} {
		flags.StringArray(name, nil, "taken for the sake of clients")
	}
	flags.StringVar(&f.tokens.Kind, "ws-auth", "", "what WebSocket clients need: "+socket.Capability+" or "+socket.Signed+" (default: nothing, on loopback addresses only)")
	flags.StringVar(&f.tokens.File, "ws-token-file", "", "file of the capability token, an absolute path")
	flags.StringVar(&f.tokens.SHA256, "ws-token-sha256", "", "SHA-256 of the capability token, in place of its file")
	flags.StringVar(&f.tokens.Secret, "ws-shared-secret-file", "", "file of the secret that signs tokens (HS256), an absolute path")
	flags.StringVar(&f.tokens.Issuer, "ws-issuer", "", "issuer of signed tokens")
	flags.StringVar(&f.tokens.Audience, "ws-audience", "", "audience of signed tokens")
	flags.IntVar(&f.skew, "ws-max-clock-skew-seconds", 30, "by how much the clock of the issuer may differ")
	addServeFlags(flags)
	return cmd
}

// stdioAddress is the address of the one client that has started the process.
const stdioAddress = "stdio://"

// service returns what serves the protocol with these flags. An error is one of usage.
func (f codexFlags) service(process *codex.Process, from caller) (service, error) {
	flags := codex.DefaultFlags()
	flags.Model = from.model
	var err error
	if flags.Config, err = configValues(f.overrides); err != nil {
		return service{}, err
	}
	if err := codex.CheckConfig(flags.Config); err != nil {
		return service{}, fmt.Errorf("--config %w", err)
	}
	if f.listen != stdioAddress {
		if err := f.tokens.Check(); err != nil {
			return service{}, err
		}
	}
	f.tokens.Skew = time.Duration(f.skew) * time.Second
	s := service{
		dialect: "codex", sharing: codex.Sharing(),
		configure: func(settings *config.Config) (err error) {
			settings.Grace = time.Second // clients count on an interrupt to be over soon
			settings.KeyFiles = f.tokens.Files()
			flags.Cwd, err = from.workspace("")
			return err
		},
		speak: func(ctx context.Context, a *app.App, c client) (int, error) {
			cfg := codex.Config{
				Host: c.sessions, Process: process, In: c.in, Out: c.out, Log: a.Log, Version: cli.Version, Home: a.Settings.Home, Flags: flags, Parts: codexParts(a),
				Stop: c.stop, Leaves: c.host != nil, Rights: c.rights,
			}
			if c.host != nil {
				return codexCode(c, codex.Serve(ctx, cfg)), nil
			}
			code, err := cli.ExitOK, error(nil)
			if f.listen == stdioAddress {
				code = codex.Serve(ctx, cfg)
			} else {
				err = f.serveSockets(cfg)
			}
			if err := a.Host.Close(context.Background()); err != nil {
				a.Log.Error("threads not saved", "error", err)
				code = max(code, cli.ExitFailed)
			}
			return codexCode(c, code), err
		},
	}
	if f.listen != stdioAddress {
		s.ownProcess = "--listen"
	}
	return s, nil
}

// codexCode returns the exit code of a client that leaves with this one.
func codexCode(c client, code int) int {
	if code == cli.ExitOK && c.signal() == syscall.SIGINT {
		return cli.ExitInterrupted
	}
	return code
}
