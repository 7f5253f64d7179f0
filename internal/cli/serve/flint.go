package serve

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/flint"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire"
)

// flintFlags is the command line as it is written.
type flintFlags struct {
	model, cwd, policy, sandbox, home, shapes string
}

// Flint returns the command that serves the Flint protocol.
func Flint() *cobra.Command {
	f := flintFlags{}
	cmd := &cobra.Command{
		Use: "flint", Aliases: []string{"app-server"}, Args: cli.ExactArgs(),
		Short: "Serve the Flint Agent Harness Protocol: JSON-RPC lines, many threads per process",
		RunE: func(*cobra.Command, []string) error {
			flags, err := f.parse()
			if err != nil {
				return err
			}
			return serveFlint(f, flags)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "model of threads that do not set one (default: the configured one)")
	flags.StringVarP(&f.cwd, "workspace", "w", "", "folder of threads that do not set one (default: the current one)")
	flags.StringVar(&f.policy, "approval-policy", string(flint.PolicyUnlessTrusted), "never, on-request, unlessTrusted or always")
	flags.StringVar(&f.sandbox, "sandbox", flint.SandboxWorkspaceWrite, "dangerFullAccess, readOnly, workspaceWrite or externalSandbox")
	flags.StringVar(&f.home, "state-dir", "", "state folder (default: the configured one)")
	flags.StringVar(&f.shapes, "shapes", string(flint.SeedShapes), "format of items: seed (as in the protocol document) or sdk (for older clients)")
	cli.SetChoices(flags, "approval-policy", string(flint.PolicyNever), string(flint.PolicyOnRequest), string(flint.PolicyUnlessTrusted), string(flint.PolicyAlways))
	cli.SetChoices(flags, "sandbox", flint.SandboxFullAccess, flint.SandboxReadOnly, flint.SandboxWorkspaceWrite, flint.SandboxExternal)
	cli.SetChoices(flags, "shapes", string(flint.SeedShapes), string(flint.SDKShapes))
	return cmd
}

// parse checks the words of the command line; an error is one of usage.
func (f flintFlags) parse() (flint.Flags, error) {
	flags := flint.Flags{Model: f.model, Shapes: flint.Shapes(f.shapes)}
	var ok bool
	if flags.Asking, ok = flint.ParsePolicy(f.policy); !ok {
		return flags, fmt.Errorf("--approval-policy %q is none of never, on-request, unlessTrusted and always", f.policy)
	}
	if flags.Sandbox, ok = flint.ParseSandbox(f.sandbox); !ok {
		return flags, fmt.Errorf("--sandbox %q is none of dangerFullAccess, readOnly, workspaceWrite and externalSandbox", f.sandbox)
	}
	if flags.Shapes != flint.SeedShapes && flags.Shapes != flint.SDKShapes {
		return flags, fmt.Errorf("--shapes %q is neither seed nor sdk", f.shapes)
	}
	return flags, nil
}

// serveFlint binds the protocol to stdin and stdout.
func serveFlint(f flintFlags, flags flint.Flags) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return cli.Failed(err)
	}
	settings.Grace = time.Second // clients count on an interrupt to be over in two
	if f.home != "" {
		settings.Home = f.home
	}
	if flags.Cwd, err = engine.Workspace(f.cwd); err != nil {
		return cli.Failed(err)
	}
	out, err := wire.ProtectStdout()
	if err != nil {
		return cli.Failed(err)
	}
	a, err := cli.Assemble(settings)
	if err != nil {
		return cli.Failed(err)
	}
	defer a.Close()
	stop := cli.NotifyStop()
	cli.ForgetStart()
	code := flint.Serve(context.Background(), flint.Config{
		Host: a.Host, In: os.Stdin, Out: out, Log: a.Log, Version: cli.Version, Flags: flags, Stop: stop.Asked,
	})
	if code == cli.ExitOK && stop.Signal() == syscall.SIGINT {
		code = cli.ExitInterrupted
	}
	if code != cli.ExitOK {
		return &cli.ExitError{Code: code}
	}
	return nil
}
