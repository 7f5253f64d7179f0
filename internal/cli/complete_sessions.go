package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/stream/address"
	"parley.dev/parley/internal/terminal"
)

// completedSessions is how many sessions a shell is offered.
const completedSessions = 50

// CompleteSessions offers the sessions of the workspace that the line names, and their titles.
func CompleteSessions(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	a, err := newApp(cmd, address.RoleViewer, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer a.Close()
	dir := ""
	if f := cmd.Flags().Lookup("workspace"); f != nil {
		dir = f.Value.String()
	}
	workspace, err := engine.Workspace(dir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	page, err := a.Host.List(context.Background(), engine.Query{Workspace: workspace, Limit: completedSessions})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	offers := []cobra.Completion{cobra.CompletionWithDesc(engine.Latest, "the session that was used last")}
	for _, s := range page.Sessions {
		offers = append(offers, cobra.CompletionWithDesc(string(s.ID), terminal.Line(cmp.Or(s.Name, s.Title))))
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
