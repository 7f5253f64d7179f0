package backends

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/model"
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
		&cobra.Command{Use: "list", Short: "List the back ends that are configured, and those that need no configuration", Args: cli.ExactArgs(), RunE: cli.WithApp(list)},
		&cobra.Command{
			Use: "test NAME", Short: "Start a back end, print its abilities, models and options, and stop it", Args: cli.ExactArgs("NAME"),
			ValidArgsFunction: cli.CompleteBackends,
			RunE: cli.WithApp(func(a *app.App, cmd *cobra.Command, args []string) error {
				return Try(cmd.Context(), a, args[0], cmd.OutOrStdout())
			}),
		},
	)
	return cmd
}

func list(a *app.App, cmd *cobra.Command, _ []string) error {
	t := cli.NewTable(cmd.OutOrStdout(), "BACKEND", "COMMAND", "STATE")
	for _, name := range a.Settings.BackendNames() {
		b, err := a.Settings.FindBackend(name)
		state := "ready"
		if name == a.Settings.Backend {
			state = "default"
		}
		if err == nil {
			_, err = a.Backends.Program(name)
		}
		if err != nil {
			state = err.Error()
		}
		t.Row(name, terminal.Line(strings.Join(b.Command, " ")), terminal.Line(state))
	}
	return t.Print()
}

// Try starts a back end, begins a session of it without a prompt, writes what it can do, and stops it.
func Try(ctx context.Context, a *app.App, name string, w io.Writer) error {
	driver, err := a.Backends.Backend(name)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	agent, err := driver.Open(ctx, backend.Opening{Dir: dir, Confine: sandbox.Policy{Level: sandbox.Full}})
	if err != nil {
		return err
	}
	defer agent.Close()
	offers, err := agent.Offers(ctx)
	if err != nil {
		return err
	}
	return write(w, name, agent, offers)
}

// write writes what an agent says about itself.
func write(w io.Writer, name string, agent backend.Agent, offers backend.Offers) error {
	info := agent.Info()
	program := strings.TrimSpace(info.Program + " " + info.Version)
	if program == "" {
		program = "an agent that does not say its name"
	}
	_, err := fmt.Fprintf(w, "%s: %s; session %s\n\n", name, terminal.Line(program), terminal.Line(agent.ID()))
	if err != nil {
		return err
	}
	t := cli.NewTable(w, "ABILITY", "")
	for _, ability := range []struct {
		name string
		has  bool
	}{
		{"images in prompts", info.Images},
		{"sessions can be resumed", info.Resumes},
		{"prompts into a running turn", info.Steers},
		{"compaction", info.Compacts},
		{"forks", info.Forks},
	} {
		t.Row(ability.name, map[bool]string{true: "yes", false: "no"}[ability.has])
	}
	if err := t.Print(); err != nil {
		return err
	}
	if len(offers.Models) > 0 {
		fmt.Fprintln(w)
		t = cli.NewTable(w, "MODEL", "NAME", "THINKING")
		for _, m := range offers.Models {
			id := name + "/" + m.ID
			if m.ID == offers.Model {
				id += " (in use)"
			}
			t.Row(terminal.Line(id), terminal.Line(m.Name), terminal.Line(levels(m.Thinking)))
		}
		if err := t.Print(); err != nil {
			return err
		}
	}
	if len(offers.Options) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t = cli.NewTable(w, "OPTION", "VALUE", "VALUES")
	for _, o := range offers.Options {
		var values []string
		for _, v := range o.Values {
			values = append(values, v.ID)
		}
		t.Row(terminal.Line(o.ID), terminal.Line(o.Value), terminal.Line(strings.Join(values, ", ")))
	}
	return t.Print()
}

func levels(all []model.Thinking) string {
	var names []string
	for _, level := range all {
		names = append(names, string(level))
	}
	return strings.Join(slices.Compact(names), ", ")
}
