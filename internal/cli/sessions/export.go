package sessions

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/html"
	"parley.dev/parley/internal/export/markdown"
)

// An exportFormat is a form that a session can be had in.
type exportFormat struct {
	name  string
	about string
	write func(a *app.App, w io.Writer, id event.SessionID) error
}

var exportFormats = []exportFormat{
	{"jsonl", "journal records", func(a *app.App, w io.Writer, id event.SessionID) error {
		return writeJSONL(w, records(a, id))
	}},
	{"markdown", "the conversation", func(a *app.App, w io.Writer, id event.SessionID) error {
		return markdown.Write(w, records(a, id))
	}},
	{"html", "a self-contained page", func(a *app.App, w io.Writer, id event.SessionID) error {
		return html.Write(w, records(a, id), html.Options{Version: cli.Version, Blob: func(address string) ([]byte, error) {
			return a.Store.Blob(context.Background(), id, address)
		}})
	}},
	{"pi", "a session file of the pi family", func(a *app.App, w io.Writer, id event.SessionID) error {
		return sessionfile.Export(context.Background(), w, a.Host, id)
	}},
}

func sessionsExport() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use: "export ID", Short: "Print a session as records, Markdown, HTML or a pi session file", Args: cli.ExactArgs("ID"), ValidArgsFunction: cli.CompleteSessions,
		RunE: withSession(func(a *app.App, cmd *cobra.Command, id event.SessionID) error {
			i := slices.IndexFunc(exportFormats, func(f exportFormat) bool { return f.name == format })
			if i < 0 {
				return fmt.Errorf("unknown format %q: expected %s", format, cli.Enumerate(exportNames(), "or"))
			}
			write := func(w io.Writer) error { return exportFormats[i].write(a, w, id) }
			if file == "" || file == "-" {
				return write(cmd.OutOrStdout())
			}
			return cli.WriteFile(file, write)
		}),
	}
	var about []string
	for _, f := range exportFormats {
		about = append(about, f.name+" ("+f.about+")")
	}
	cmd.Flags().StringVar(&format, "format", exportFormats[0].name, strings.Join(about, ", "))
	cli.SetChoices(cmd.Flags(), "format", exportNames()...)
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to this file instead of standard output")
	return cmd
}

func exportNames() []string {
	var names []string
	for _, f := range exportFormats {
		names = append(names, f.name)
	}
	return names
}

func writeJSONL(w io.Writer, records iter.Seq2[event.Record, error]) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		line, err := rec.AppendJSON(nil)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
