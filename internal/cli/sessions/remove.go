package sessions

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

func sessionsRemove() *cobra.Command {
	var older string
	var age time.Duration
	cmd := &cobra.Command{
		Use: "rm ID... | --older AGE", Short: "Delete sessions", ValidArgsFunction: cli.CompleteSessions,
		Args: func(cmd *cobra.Command, args []string) (err error) {
			if older == "" {
				return cli.RequireArgs("ID")(cmd, args)
			}
			if len(args) > 0 {
				return errors.New("--older and an ID exclude each other")
			}
			age, err = parseAge(older)
			return err
		},
		RunE: cli.WithApp(func(a *app.App, cmd *cobra.Command, args []string) error {
			ids, err := removable(a, args, age)
			if err != nil {
				return err // nothing is removed unless all are clear
			}
			var errs []error
			for _, id := range ids {
				if err := a.Host.Remove(context.Background(), id); err != nil {
					errs = append(errs, err)
					continue
				}
				if older != "" || len(ids) > 1 {
					fmt.Fprintln(cmd.OutOrStdout(), id)
				}
			}
			return errors.Join(errs...)
		}),
	}
	cmd.Flags().StringVar(&older, "older", "", "delete all sessions that were not used for so long, such as 90d or 12h")
	return cmd
}

// parseAge parses a number of days, such as 90d, or a duration.
func parseAge(text string) (time.Duration, error) {
	age, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		age = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || age <= 0 || age > 100*365*24*time.Hour {
		return 0, fmt.Errorf("--older %q: expected a time such as 90d or 12h", text)
	}
	return age, nil
}

// removable returns the sessions that names mean; without names those that were not used for age.
func removable(a *app.App, names []string, age time.Duration) ([]event.SessionID, error) {
	var ids []event.SessionID
	for _, name := range names {
		id, err := cli.FindSession(a, "", name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if len(names) > 0 {
		return ids, nil
	}
	before := time.Now().Add(-age)
	for q := (journal.Query{All: true, Limit: pageSize}); ; {
		page, err := a.Host.List(context.Background(), q)
		if err != nil {
			return nil, err
		}
		for _, s := range page.Sessions {
			if s.Updated.Before(before) {
				ids = append(ids, s.ID)
			}
		}
		if q.Cursor = page.Next; page.Next == "" {
			return ids, nil
		}
	}
}
