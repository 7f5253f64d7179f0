package program

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/backends"
	"parley.dev/parley/internal/cli/conform"
	"parley.dev/parley/internal/cli/demo"
	"parley.dev/parley/internal/cli/doctor"
	"parley.dev/parley/internal/cli/grants"
	"parley.dev/parley/internal/cli/hosts"
	"parley.dev/parley/internal/cli/man"
	mcpcmd "parley.dev/parley/internal/cli/mcp"
	"parley.dev/parley/internal/cli/models"
	"parley.dev/parley/internal/cli/replay"
	"parley.dev/parley/internal/cli/run"
	"parley.dev/parley/internal/cli/serve"
	"parley.dev/parley/internal/cli/sessions"
	"parley.dev/parley/internal/cli/tui"
)

// protocols make the commands that speak one, by their names.
var protocols = map[string]func(serve.Joining) *cobra.Command{
	"scaiflux": serve.ScaiFlux, "flint": serve.Flint, "codex": serve.Codex, "loaf": serve.Loaf, "agentair": serve.Agentair,
	"pisces": serve.Pisces, "acp": serve.ACP, "rpc": serve.Native,
}

// newRoot returns the command that words are for. When they name a protocol, it has no other command: a client waits for the start.
func newRoot(j serve.Joining, words []string, more []func() *cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "parley [PROMPT]",
		Short: "A coding agent engine that other programs drive over stdio",
		Long: `Parley is one coding-agent engine that speaks existing wire protocols over stdio.
Start it in place of the agent that your client expects, or try it:

  parley                          work with it in the terminal; parley "fix the test" begins with a prompt
  parley demo                     run a client against a server, offline
  parley run "list the go files"  one prompt, one answer
  parley scaiflux serve           the ScaiFlux serve protocol
  parley flint                    the Flint Agent Harness Protocol
  parley codex app-server         the app-server protocol of Codex
  parley pisces --mode rpc        the RPC mode of the pi family
  parley loaf rpc                 loaf's RPC mode
  parley agentair                 agent-air's server messages
  parley acp                      the Agent Client Protocol, for editors`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	if len(words) > 0 && protocols[words[0]] != nil {
		root.AddCommand(protocols[words[0]](j))
	} else {
		addCommands(root, j)
		addHostCommands(root, more)
		root.Flags().AddFlagSet(new(start).flags())
	}
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if errors.Is(err, cli.ErrVersion) {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), cli.VersionLine())
			return err
		}
		return flagError(err)
	})
	cli.AddVersionFlag(root)
	for _, cmd := range root.Commands() {
		if slices.Contains(cli.Dialects, cmd.Name()) && cmd.Flags().Lookup("version") == nil {
			cli.AddVersionFlag(cmd)
		}
	}
	cli.FinishFlags(root)
	return root
}

// addCommands adds every command to root.
func addCommands(root *cobra.Command, j serve.Joining) {
	for _, name := range slices.Sorted(maps.Keys(protocols)) { // the first of two suggestions is always the same
		root.AddCommand(protocols[name](j))
	}
	root.AddCommand(
		serve.Host(), serve.HostControl(), hosts.Command(), run.Command(cli.Parley), demo.Command(), sessions.Command(replay.Command()), models.Command(),
		tui.Command(), mcpcmd.Command(), backends.Command(), grants.Command(), schemaCommand(), doctor.Command(cli.Parley), conform.Command(),
		configCommand(), cli.VersionCommand(), man.Command(),
	)
}
