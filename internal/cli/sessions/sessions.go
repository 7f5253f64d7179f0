package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/markdown"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/sessionlog"
)

// Command returns the command sessions, with further commands below it.
func Command(more ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: "sessions", Short: "List, show, export, replay, repair, copy and remove sessions"}
	cmd.AddCommand(List(), sessionsShow(), sessionsExport(), sessionsRepair(), sessionsRemove(), sessionsCopy())
	cmd.AddCommand(more...)
	for _, sub := range cmd.Commands() {
		if sub.Flags().Lookup("store") == nil {
			cli.AddStoreFlags(sub.Flags())
		}
	}
	return cmd
}

// errNotFiles is the error of a command for a store whose journals are not files.
var errNotFiles = errors.New("only a journal in a file can be repaired; copy the session from a backup with `parley sessions copy`")

// List returns the command sessions list.
func List() *cobra.Command {
	var q journal.Query
	var asJSON, all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List sessions, the most recently used first", Args: cli.ExactArgs(),
		PreRunE: func(*cobra.Command, []string) error {
			if q.Limit < 1 {
				return fmt.Errorf("--limit %d is less than 1", q.Limit)
			}
			return nil
		},
		RunE: cli.WithReader(func(a *app.App, cmd *cobra.Command, _ []string) error {
			if !all {
				workspace, err := engine.FormerWorkspace(q.Workspace)
				if err != nil {
					return err
				}
				q.Workspace = workspace
			} else {
				q.Workspace = ""
			}
			page, err := a.Host.List(context.Background(), q)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd, page)
			}
			return printSessions(cmd.OutOrStdout(), page)
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&q.Workspace, "workspace", "w", ".", "only sessions of this workspace")
	flags.BoolVar(&all, "all", false, "sessions of every workspace")
	flags.BoolVar(&q.Archived, "archived", false, "the archived ones instead")
	flags.StringVar(&q.Search, "search", "", "only those whose title, name or id has this text")
	flags.IntVar(&q.Limit, "limit", 50, "number of sessions to list")
	flags.StringVar(&q.Cursor, "cursor", "", "the page after an earlier one (its \"next\")")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	cli.AddStoreFlags(flags) // it is also run by itself
	return cmd
}

// modelOf returns the model of a session, without the provider, which the record of an answer does not have either.
func modelOf(s journal.Summary) string {
	if _, id, ok := strings.Cut(s.Model, "/"); ok {
		return id
	}
	return cmp.Or(s.Model, s.FirstModel)
}

func printSessions(w io.Writer, page journal.Page) error {
	t := cli.NewTable(w, "ID", "UPDATED", "TURNS", "MODEL", "TITLE")
	t.Fits = true
	for _, s := range page.Sessions {
		title := s.Title
		if s.Name != "" {
			title = s.Name
		}
		t.Row(s.ID, s.Updated.Local().Format(time.DateTime), s.Turns, modelOf(s), title)
	}
	err := t.Print()
	if page.Next != "" && err == nil {
		_, err = fmt.Fprintf(w, "more: --cursor %s\n", page.Next)
	}
	return err
}

// records reads a session without taking its lease, large outputs included.
func records(a *app.App, id event.SessionID) iter.Seq2[event.Record, error] {
	return sessionlog.Read(context.Background(), a.Store, id, 1)
}

// withSession runs a command on the session that its first argument means.
func withSession(run func(a *app.App, cmd *cobra.Command, id event.SessionID) error) func(*cobra.Command, []string) error {
	return cli.WithReader(func(a *app.App, cmd *cobra.Command, args []string) error {
		id, err := cli.FindSession(a, "", args[0])
		if err != nil {
			return err
		}
		return run(a, cmd, id)
	})
}

func sessionsShow() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Print a session as Markdown", Args: cli.ExactArgs("ID"), ValidArgsFunction: cli.CompleteSessions,
		RunE: withSession(func(a *app.App, cmd *cobra.Command, id event.SessionID) error {
			return cli.Display(cmd, func(w io.Writer) error { return markdown.Write(w, records(a, id)) })
		}),
	}
}

func sessionsRepair() *cobra.Command {
	return &cobra.Command{
		Use: "repair ID", Short: "Truncate a damaged journal at its first bad record and keep a copy", Args: cli.ExactArgs("ID"), ValidArgsFunction: cli.CompleteSessions,
		RunE: withSession(func(a *app.App, cmd *cobra.Command, id event.SessionID) error {
			files, ok := a.Store.(*file.Store)
			if !ok {
				return errNotFiles
			}
			kept, err := files.Repair(context.Background(), id)
			if err != nil {
				return err
			}
			if kept == 0 {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "no record is good: the session does not exist any more; its damaged journal stays in %s, which can be deleted\n", files.Location(id))
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d records kept\n", kept)
			return err
		}),
	}
}
