package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/transfer"
	"parley.dev/parley/internal/stream/address"
)

// copyFlags is the command line of sessions copy.
type copyFlags struct {
	from, to            string
	all, remove, asJSON bool
}

func sessionsCopy() *cobra.Command {
	var f copyFlags
	cmd := &cobra.Command{
		Use: "copy --from URL --to URL [--all | ID...]", Short: "Copy sessions to another store",
		Long: `Copy sessions from one store to another: file:PATH, nats://HOST:PORT[/NAMESPACE] or tls://…. Without --from or
--to that is the configured store. Files are copied first, then the records as they are; a copy has the same
hashes. A session of which the target has the beginning is continued, so an interrupted copy goes on when the
command is run again. One of which the target has something else is left alone (diverged).

Each session has a line: copied, same, extended, diverged, busy (another process needs it) or failed. The exit
code is 1 if the target lacks one of them.`,
		Args: func(cmd *cobra.Command, args []string) error {
			store, _ := cmd.Flags().GetString("store")
			f.from, f.to = cmp.Or(f.from, store), cmp.Or(f.to, store)
			switch {
			case f.from == f.to:
				return errors.New("--from and --to must be different stores")
			case f.all && len(args) > 0:
				return errors.New("--all and an ID exclude each other")
			case !f.all && len(args) == 0:
				return errors.New("an ID is missing; --all copies all sessions")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cli.Failed(copySessions(cmd, f, args)) },
	}
	flags := cmd.Flags()
	cli.AddStoreFlags(flags)
	flags.StringVar(&f.from, "from", "", "the store that has the sessions (default: the configured one)")
	flags.StringVar(&f.to, "to", "", "the store that gets them (default: the configured one)")
	flags.BoolVar(&f.all, "all", false, "copy all sessions, the archived ones too")
	flags.BoolVar(&f.remove, "remove", false, "remove each session from the source after the copy was read and compared")
	flags.BoolVar(&f.asJSON, "json", false, "print a line of JSON for each session")
	return cmd
}

func copySessions(cmd *cobra.Command, f copyFlags, names []string) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	connection := cli.StoreFlagsOf(cmd)
	source, err := openStore(settings.Settings, connection, "--from", f.from)
	if err != nil {
		return err
	}
	defer source.close()
	target, err := openStore(settings.Settings, connection, "--to", f.to)
	if err != nil {
		return err
	}
	defer target.close()
	if source.name == target.name {
		return &cli.ExitError{Code: cli.ExitUsage, Err: errors.New("--from and --to are the same store")}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := cli.NotifyStopOn(syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case <-stop.Asked:
			cancel() // the leases are released; the next copy goes on
		case <-ctx.Done():
		}
	}()
	ids, err := selectSessions(ctx, source.Store, names)
	if err != nil {
		return err
	}
	failed := false
	copier := &transfer.Copier{From: source.Store, To: target.Store, Remove: f.remove}
	for _, id := range ids {
		result := copier.Copy(ctx, id)
		if err := printCopy(cmd, result, f.asJSON); err != nil {
			return err
		}
		failed = failed || !result.OK()
		if ctx.Err() != nil {
			return errors.New("interrupted; run the command again to go on")
		}
	}
	if failed {
		return errors.New("not all sessions were copied")
	}
	return nil
}

// A namedStore is an open store, and what distinguishes it from others.
type namedStore struct {
	journal.Store
	name string
}

func (s namedStore) close() { _ = s.Close() }

// openStore opens the store of a flag; "": the configured one.
func openStore(s config.Settings, connection cli.StoreFlags, flag, text string) (namedStore, error) {
	if err := connection.ApplyConnection(&s); err != nil {
		return namedStore{}, err
	}
	if text != "" {
		if _, err := config.ParseStore(text); err != nil {
			return namedStore{}, &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("%s: %w", flag, err)}
		}
		s.Store = text
	}
	place, err := s.StoreAddress()
	if err != nil {
		return namedStore{}, err
	}
	if err := cli.Linked.Check(s, os.Getenv); err != nil {
		return namedStore{}, err
	}
	if place.Kind == config.NATSStore {
		shared := cli.Linked.OpenShared(app.SharedOptions{Settings: s, Address: place, Version: cli.Version, Role: address.RoleHost})
		if err := shared.Member.Open(context.Background()); err != nil {
			_ = shared.Store.Close()
			return namedStore{}, err
		}
		return namedStore{shared.Store, place.Stream.String()}, nil
	}
	store, err := app.OpenFiles(s, cli.RebuildProgress())
	if err != nil {
		return namedStore{}, err
	}
	folder := place.Folder
	if folder == "" {
		folder = s.Home
	}
	name, _ := filepath.Abs(folder)
	return namedStore{store, name}, nil
}

// pageSize is how many sessions are listed at once.
const pageSize = 500

// selectSessions returns the sessions of which names are the ids, or their beginnings; without names all sessions.
func selectSessions(ctx context.Context, store journal.Store, names []string) ([]event.SessionID, error) {
	var all []event.SessionID
	for q := (journal.Query{All: true, Limit: pageSize}); ; {
		page, err := store.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, s := range page.Sessions {
			all = append(all, s.ID)
		}
		if q.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	var ids []event.SessionID
	for _, name := range names {
		id, err := findSession(all, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// findSession returns the session with an id, or the only one whose id begins with name.
func findSession(all []event.SessionID, name string) (event.SessionID, error) {
	var found []event.SessionID
	for _, id := range all {
		if string(id) == name {
			return id, nil
		}
		if strings.HasPrefix(string(id), name) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return event.SessionID(name), nil // it may be missing in the index; the copy reports it if it does not exist
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s: %d sessions begin with it", name, len(found))
}

func printCopy(cmd *cobra.Command, r transfer.Result, asJSON bool) error {
	if asJSON {
		line, err := json.Marshal(r, json.Deterministic(true))
		if err == nil {
			err = cli.Display(cmd, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s\n", line)
				return err
			})
		}
		return err
	}
	text := fmt.Sprintf("%-9s %s  %s", r.Status, r.Session, cli.Counted(int(r.Records), "record"))
	if r.Blobs > 0 {
		text += ", " + cli.Counted(r.Blobs, "blob")
	}
	if r.Bytes > 0 {
		text += fmt.Sprintf(", %d bytes", r.Bytes)
	}
	if r.Removed {
		text += ", removed from the source"
	}
	if r.Error != "" {
		text += ": " + r.Error
	}
	return cli.Display(cmd, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, text)
		return err
	})
}
