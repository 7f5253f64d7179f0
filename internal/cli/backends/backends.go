package backends

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/terminal"
)

// Command returns the command backends.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "backends", Short: "List the agents that can run turns in place of Parley's own loop, or try one", Args: cli.ExactArgs(),
		RunE: cli.WithApp(list),
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List the configured back ends", Args: cli.ExactArgs(), RunE: cli.WithApp(list)},
		&cobra.Command{
			Use: "test NAME", Short: "Start a back end, begin a session of it without a prompt, and stop it", Args: cli.ExactArgs("NAME"), RunE: cli.WithApp(try),
		},
	)
	return cmd
}

func list(a *app.App, cmd *cobra.Command, _ []string) error {
	t := cli.NewTable(cmd.OutOrStdout(), "BACKEND", "COMMAND", "STATE")
	names := slices.Sorted(maps.Keys(a.Settings.Backends))
	for _, name := range names {
		state := "ready"
		if name == a.Settings.Backend {
			state = "default"
		}
		if _, err := a.Backends.Program(name); err != nil {
			state = err.Error()
		}
		t.Row(name, terminal.Line(strings.Join(a.Settings.Backends[name].Command, " ")), terminal.Line(state))
	}
	if len(names) == 0 {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "No back ends are configured: docs/backends.md has examples.")
		return err
	}
	return t.Print()
}

func try(a *app.App, cmd *cobra.Command, args []string) error {
	driver, err := a.Backends.Backend(args[0])
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	agent, err := driver.Open(ctx, backend.Opening{Dir: dir, Confine: sandbox.Policy{Level: sandbox.Full}})
	if err != nil {
		return err
	}
	defer agent.Close()
	info := agent.Info()
	name := strings.TrimSpace(info.Program + " " + info.Version)
	if name == "" {
		name = "an agent that does not say its name"
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s; session %s; images: %v; sessions can be resumed: %v\n",
		args[0], terminal.Line(name), terminal.Line(agent.ID()), info.Images, info.Resumes)
	return err
}
