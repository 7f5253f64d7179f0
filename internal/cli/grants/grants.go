package grants

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/approval/grantfile"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
)

// Command returns the command grants.
func Command() *cobra.Command {
	cmd := &cobra.Command{Use: "grants", Short: "Allow, list and revoke standing permissions"}
	cmd.AddCommand(grantsList(), grantsAllow(), grantsRevoke())
	return cmd
}

// A workspaceGrants is the grants of one workspace as grants list prints them.
type workspaceGrants struct {
	Workspace string           `json:"workspace"`
	Grants    []approval.Grant `json:"grants"`
}

func grantsList() *cobra.Command {
	var workspace string
	var all, asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the stored grants of a workspace", Args: cli.ExactArgs(),
		RunE: withGrants(func(store *grantfile.Store, cmd *cobra.Command, _ []string) error {
			list, err := storedGrants(store, workspace, all)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd, list)
			}
			return printGrants(cmd.OutOrStdout(), list, all)
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&workspace, "workspace", "w", ".", "the grants of this workspace")
	flags.BoolVar(&all, "all", false, "the grants of every workspace")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func grantsRevoke() *cobra.Command {
	var workspace string
	var all bool
	cmd := &cobra.Command{
		Use: "revoke ID...", Short: "Revoke stored grants, also for running sessions", Args: cobra.ArbitraryArgs,
		RunE: withGrants(func(store *grantfile.Store, cmd *cobra.Command, ids []string) error {
			if all == (len(ids) > 0) {
				return errors.New("ID is missing: pass the ids of the grants to revoke, or --all")
			}
			list, err := storedGrants(store, workspace, false)
			if err != nil {
				return err
			}
			if all {
				for _, g := range list[0].Grants {
					ids = append(ids, g.ID)
				}
			}
			return store.Revoke(list[0].Workspace, ids...)
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&workspace, "workspace", "w", ".", "the grants of this workspace")
	flags.BoolVar(&all, "all", false, "all grants of the workspace")
	return cmd
}

// withGrants runs a command on the stored grants; nothing else of the program is needed.
func withGrants(run func(store *grantfile.Store, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		settings, err := config.Load(os.Getenv)
		if err != nil {
			return cli.Failed(err)
		}
		home, err := filepath.Abs(settings.Home)
		if err != nil {
			return cli.Failed(fmt.Errorf("state folder: %w", err))
		}
		return cli.Failed(run(grantfile.New(grantfile.Options{Folder: home}), cmd, args))
	}
}

// storedGrants returns the grants of one workspace, also if it has none, or of all that have some.
// A workspace that is not there any more still has its grants.
func storedGrants(store *grantfile.Store, dir string, all bool) ([]workspaceGrants, error) {
	if all {
		found, err := store.All()
		list := []workspaceGrants{}
		for _, workspace := range slices.Sorted(maps.Keys(found)) {
			list = append(list, workspaceGrants{workspace, found[workspace]})
		}
		return list, err
	}
	workspace, err := engine.Workspace(dir)
	if err != nil && filepath.IsAbs(dir) {
		workspace, err = filepath.Clean(dir), nil
	}
	if err != nil {
		return nil, err
	}
	found, err := store.Load(workspace)
	return []workspaceGrants{{workspace, slices.Concat([]approval.Grant{}, found)}}, err
}

func printGrants(w io.Writer, list []workspaceGrants, all bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "ID\tTYPE\tLEVEL\tEXPIRES\tFOR")
	if all {
		fmt.Fprint(t, "\tWORKSPACE")
	}
	fmt.Fprintln(t)
	for _, workspace := range list {
		for _, g := range workspace.Grants {
			expires := "never"
			if !g.Expires.IsZero() {
				expires = g.Expires.Local().Format(time.DateTime)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s", g.ID, g.Target.Kind, g.Level, expires, onOneLine(g.Target.String()))
			if all {
				fmt.Fprintf(t, "\t%s", onOneLine(workspace.Workspace))
			}
			fmt.Fprintln(t)
		}
	}
	return t.Flush()
}

// onOneLine quotes what would look like something else on a terminal.
func onOneLine(text string) string {
	for _, r := range text {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return fmt.Sprintf("%+q", text)
		}
	}
	return text
}
