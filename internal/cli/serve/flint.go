package serve

import (
	"cmp"
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/flint"
)

// flintFlags is the command line as it is written.
type flintFlags struct {
	model, cwd, policy, sandbox, home, shapes string
}

// Flint returns the command that serves the Flint protocol.
func Flint(j Joining) *cobra.Command { return flintCommand(thisProcess, j.run) }

func flintCommand(from caller, run runner) *cobra.Command {
	f := flintFlags{}
	cmd := &cobra.Command{
		Use: "flint", Aliases: []string{"app-server"}, Args: cli.ExactArgs(),
		Short: "Serve the Flint Agent Harness Protocol: JSON-RPC lines, many threads per process",
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags, err := f.parse(from)
			if err != nil {
				return err
			}
			return run(f.service(from, flags).withStore(cmd))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "model of threads that do not set one (default: the configured one)")
	flags.StringVarP(&f.cwd, "workspace", "w", "", "folder of threads that do not set one (default: the current one)")
	flags.StringVar(&f.policy, "approval-policy", string(flint.PolicyUnlessTrusted), "never, on-request, unlessTrusted or always")
	flags.StringVar(&f.sandbox, "sandbox", flint.SandboxWorkspaceWrite, "dangerFullAccess, readOnly, workspaceWrite or externalSandbox")
	flags.StringVar(&f.home, "state-dir", "", "state folder (default: the configured one)")
	flags.StringVar(&f.shapes, "shapes", string(flint.SeedShapes), "format of items: seed (as in the protocol document) or sdk (for older clients)")
	addServeFlags(flags)
	cli.SetChoices(flags, "approval-policy", string(flint.PolicyNever), string(flint.PolicyOnRequest), string(flint.PolicyUnlessTrusted), string(flint.PolicyAlways))
	cli.SetChoices(flags, "sandbox", flint.SandboxFullAccess, flint.SandboxReadOnly, flint.SandboxWorkspaceWrite, flint.SandboxExternal)
	cli.SetChoices(flags, "shapes", string(flint.SeedShapes), string(flint.SDKShapes))
	return cmd
}

// parse checks the words of the command line; an error is one of usage.
func (f flintFlags) parse(from caller) (flint.Flags, error) {
	flags := flint.Flags{Model: cmp.Or(f.model, from.model), Shapes: flint.Shapes(f.shapes)}
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

// service returns what serves the protocol with these flags.
func (f flintFlags) service(from caller, flags flint.Flags) service {
	return service{
		dialect: "flint",
		configure: func(settings *config.Config) (err error) {
			settings.Grace = time.Second // clients count on an interrupt to be over in two
			if f.home != "" {
				settings.Home = from.path(f.home)
			}
			flags.Cwd, err = from.workspace(f.cwd)
			return err
		},
		speak: func(ctx context.Context, a *app.App, c client) (int, error) {
			code := flint.Serve(ctx, flint.Config{
				Host: c.sessions, Rights: c.rights, In: c.in, Out: c.out, Log: a.Log, Version: cli.Version, Flags: flags, Stop: c.stop,
			})
			if code == cli.ExitOK && c.signal() == syscall.SIGINT {
				code = cli.ExitInterrupted
			}
			return code, nil
		},
	}
}
