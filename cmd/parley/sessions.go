package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

func sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "sessions", Short: "List, show, export, repair and remove sessions"}
	cmd.AddCommand(sessionsList(), sessionsShow(), sessionsExport(), sessionsRepair(), sessionsRemove())
	return cmd
}

// withApp runs a command that needs the program's parts.
func withApp(run func(a *app, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a, err := newApp()
		if err != nil {
			return failed(err)
		}
		defer a.close()
		return failed(run(a, cmd, args))
	}
}

func sessionsList() *cobra.Command {
	var q journal.Query
	var asJSON, all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List sessions, the last used first", Args: cobra.NoArgs,
		RunE: withApp(func(a *app, cmd *cobra.Command, _ []string) error {
			if !all {
				workspace, err := engine.Workspace(q.Workspace)
				if err != nil {
					return err
				}
				q.Workspace = workspace
			} else {
				q.Workspace = ""
			}
			page, err := a.host.List(context.Background(), q)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, page)
			}
			return printSessions(cmd.OutOrStdout(), page)
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&q.Workspace, "workspace", "w", ".", "only sessions of this workspace")
	flags.BoolVar(&all, "all", false, "sessions of every workspace")
	flags.BoolVar(&q.Archived, "archived", false, "the archived ones instead")
	flags.StringVar(&q.Search, "search", "", "only those whose title, name or id has this text")
	flags.IntVar(&q.Limit, "limit", 50, "at most so many")
	flags.StringVar(&q.Cursor, "cursor", "", "go on behind an earlier page (its \"next\")")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printSessions(w io.Writer, page journal.Page) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tUPDATED\tTURNS\tMODEL\tTITLE")
	for _, s := range page.Sessions {
		title := s.Title
		if s.Name != "" {
			title = s.Name
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", s.ID, s.Updated.Local().Format(time.DateTime), s.Turns, s.Model, title)
	}
	if page.Next != "" {
		fmt.Fprintf(t, "more: --cursor %s\n", page.Next)
	}
	return t.Flush()
}

// records reads a session without taking its lease, large outputs included.
func (a *app) records(id event.SessionID) iter.Seq2[event.Record, error] {
	return engine.ReadSession(context.Background(), a.store, id)
}

func sessionsShow() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Print a session as Markdown", Args: cobra.ExactArgs(1),
		RunE: withApp(func(a *app, cmd *cobra.Command, args []string) error {
			return engine.WriteMarkdown(cmd.OutOrStdout(), a.records(event.SessionID(args[0])))
		}),
	}
}

func sessionsRepair() *cobra.Command {
	return &cobra.Command{
		Use: "repair ID", Short: "Cut a damaged journal at its first bad record; a copy is kept", Args: cobra.ExactArgs(1),
		RunE: withApp(func(a *app, cmd *cobra.Command, args []string) error {
			kept, err := a.store.Repair(context.Background(), event.SessionID(args[0]))
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d records kept\n", kept)
			return nil
		}),
	}
}

func sessionsRemove() *cobra.Command {
	return &cobra.Command{
		Use: "rm ID...", Short: "Delete sessions", Args: cobra.MinimumNArgs(1),
		RunE: withApp(func(a *app, cmd *cobra.Command, args []string) error {
			var errs []error
			for _, id := range args {
				if err := a.host.Remove(context.Background(), event.SessionID(id)); err != nil {
					errs = append(errs, fmt.Errorf("%s: %w", id, err))
				}
			}
			return errors.Join(errs...)
		}),
	}
}
