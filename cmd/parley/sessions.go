package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/markdown"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/sessionlog"
)

func sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "sessions", Short: "List, show, export, repair and remove sessions"}
	cmd.AddCommand(sessionsList(), sessionsShow(), sessionsExport(), sessionsRepair(), sessionsRemove())
	return cmd
}

// withApp runs a command that needs the program's parts.
func withApp(run func(a *app.App, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a, err := newApp()
		if err != nil {
			return failed(err)
		}
		defer a.Close()
		return failed(run(a, cmd, args))
	}
}

func sessionsList() *cobra.Command {
	var q journal.Query
	var asJSON, all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List sessions, the most recently used first", Args: exactArgs(),
		PreRunE: func(*cobra.Command, []string) error {
			if q.Limit < 1 {
				return fmt.Errorf("--limit %d is less than 1", q.Limit)
			}
			return nil
		},
		RunE: withApp(func(a *app.App, cmd *cobra.Command, _ []string) error {
			if !all {
				workspace, err := engine.Workspace(q.Workspace)
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
	flags.IntVar(&q.Limit, "limit", 50, "number of sessions to list")
	flags.StringVar(&q.Cursor, "cursor", "", "the page after an earlier one (its \"next\")")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printSessions(w io.Writer, page journal.Page) error {
	t := newTable(w, "ID", "UPDATED", "TURNS", "MODEL", "TITLE")
	t.fits = true
	for _, s := range page.Sessions {
		title := s.Title
		if s.Name != "" {
			title = s.Name
		}
		t.row(s.ID, s.Updated.Local().Format(time.DateTime), s.Turns, cmp.Or(s.Model, s.FirstModel), title)
	}
	err := t.print()
	if page.Next != "" && err == nil {
		_, err = fmt.Fprintf(w, "more: --cursor %s\n", page.Next)
	}
	return err
}

// records reads a session without taking its lease, large outputs included.
func records(a *app.App, id event.SessionID) iter.Seq2[event.Record, error] {
	return sessionlog.Read(context.Background(), a.Store, id, 1)
}

// findSession returns the id of the session that an argument means: "latest" is the one that was
// used last in the folder; the beginning of an id counts wherever the session works.
func findSession(a *app.App, folder, name string) (event.SessionID, error) {
	workspace := ""
	if name == engine.Latest {
		var err error
		if workspace, err = engine.Workspace(folder); err != nil {
			return "", err
		}
	}
	id, err := a.Host.Find(context.Background(), workspace, name)
	if errors.Is(err, engine.ErrNoSession) && name != engine.Latest {
		return event.SessionID(name), nil // its journal may be damaged; else the command says that it is not there
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return id, nil
}

// withSession runs a command on the session that its first argument means.
func withSession(run func(a *app.App, cmd *cobra.Command, id event.SessionID) error) func(*cobra.Command, []string) error {
	return withApp(func(a *app.App, cmd *cobra.Command, args []string) error {
		id, err := findSession(a, "", args[0])
		if err != nil {
			return err
		}
		return run(a, cmd, id)
	})
}

func sessionsShow() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Print a session as Markdown", Args: exactArgs("ID"), ValidArgsFunction: completeSessions,
		RunE: withSession(func(a *app.App, cmd *cobra.Command, id event.SessionID) error {
			return markdown.Write(cmd.OutOrStdout(), records(a, id))
		}),
	}
}

func sessionsRepair() *cobra.Command {
	return &cobra.Command{
		Use: "repair ID", Short: "Truncate a damaged journal at its first bad record and keep a copy", Args: exactArgs("ID"), ValidArgsFunction: completeSessions,
		RunE: withSession(func(a *app.App, cmd *cobra.Command, id event.SessionID) error {
			kept, err := a.Store.Repair(context.Background(), id)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d records kept\n", kept)
			return err
		}),
	}
}

func sessionsRemove() *cobra.Command {
	return &cobra.Command{
		Use: "rm ID...", Short: "Delete sessions", Args: requireArgs("ID"), ValidArgsFunction: completeSessions,
		RunE: withApp(func(a *app.App, cmd *cobra.Command, args []string) error {
			var ids []event.SessionID
			for _, name := range args {
				id, err := findSession(a, "", name)
				if err != nil {
					return err // nothing is removed unless all are clear
				}
				ids = append(ids, id)
			}
			var errs []error
			for _, id := range ids {
				if err := a.Host.Remove(context.Background(), id); err != nil {
					errs = append(errs, err)
				}
			}
			return errors.Join(errs...)
		}),
	}
}
