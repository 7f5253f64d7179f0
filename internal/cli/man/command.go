package man

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
)

// The sections that only parley(1) has, and the pages of the other programs.
var (
	//go:embed parley.roff
	programSections string
	//go:embed console.roff
	consoleSections string
	//go:embed host.roff
	hostSections string
)

// Command returns the command man.
func Command() *cobra.Command {
	var date string
	cmd := &cobra.Command{
		Use: "man FOLDER", Short: "Write the manual pages of all commands to a folder", Hidden: true, Args: cli.ExactArgs("FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := time.Parse(time.DateOnly, date); date != "" && err != nil {
				return fmt.Errorf("--date %q: expected a date such as 2026-01-31", date)
			}
			return cli.Failed(writePages(cmd.Root(), args[0], date))
		},
	}
	cmd.Flags().StringVar(&date, "date", "", "`DATE` of the pages, such as 2026-01-31")
	return cmd
}

// writePages writes the pages of root, of all commands below it that its help lists, and of the other programs.
func writePages(root *cobra.Command, folder, date string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	console := header("parley-console", "the terminal console of Parley", date) + consoleSections
	host := header("parley-host", "Parley with stores on NATS, batches and telemetry", date) + hostSections
	errs := []error{write(folder, "parley-console", console), write(folder, "parley-host", host)}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		text := page(cmd, date)
		if cmd == root {
			text += programSections
		}
		errs = append(errs, write(folder, pageName(cmd), text+seeAlso(cmd)))
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				visit(sub)
			}
		}
	}
	visit(root)
	return errors.Join(errs...)
}

func write(folder, name, text string) error {
	return os.WriteFile(filepath.Join(folder, name+".1"), []byte(text), 0o644)
}

// pageName returns the name of the page of a command: parley-sessions-show.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }
