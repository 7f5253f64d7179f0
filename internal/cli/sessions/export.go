package sessions

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/event"
)

func sessionsExport() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use: "export ID", Short: "Print a session as records, Markdown, HTML or a pi session file", Args: cli.ExactArgs("ID"), ValidArgsFunction: cli.CompleteSessions,
		RunE: withSession(func(a *app.App, cmd *cobra.Command, id event.SessionID) error {
			form, ok := cli.FindExportForm(format)
			if !ok {
				return fmt.Errorf("unknown format %q: expected %s", format, cli.Enumerate(exportNames(), "or"))
			}
			write := func(w io.Writer) error { return form.Write(cmd.Context(), w, a.Host, id) }
			if file == "" || file == "-" {
				return cli.Display(cmd, write)
			}
			return cli.WriteFile(file, write)
		}),
	}
	var about []string
	for _, f := range cli.ExportForms {
		about = append(about, f.Name+" ("+f.About+")")
	}
	cmd.Flags().StringVar(&format, "format", cli.ExportForms[0].Name, strings.Join(about, ", "))
	cli.SetChoices(cmd.Flags(), "format", exportNames()...)
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to this file instead of standard output")
	return cmd
}

func exportNames() []string {
	var names []string
	for _, f := range cli.ExportForms {
		names = append(names, f.Name)
	}
	return names
}
