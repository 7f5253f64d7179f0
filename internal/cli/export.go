package cli

import (
	"context"
	"io"
	"iter"

	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/markdown"
)

// An ExportForm is a form that a session can be exported in.
type ExportForm struct {
	Name  string // of flags
	Short string // of protocols, and of flags too
	About string
	Write func(ctx context.Context, w io.Writer, host *engine.Host, id event.SessionID) error
}

// ExportForms are the forms; the first is the default.
var ExportForms = []ExportForm{
	{"jsonl", "json", "journal records", func(ctx context.Context, w io.Writer, host *engine.Host, id event.SessionID) error {
		return writeJSONL(w, host.Read(ctx, id))
	}},
	{"markdown", "md", "the conversation", func(ctx context.Context, w io.Writer, host *engine.Host, id event.SessionID) error {
		return markdown.Write(w, host.Read(ctx, id))
	}},
	{"html", "html", "a self-contained page", func(ctx context.Context, w io.Writer, host *engine.Host, id event.SessionID) error {
		return WritePage(ctx, w, "", host.Read(ctx, id), func(address string) ([]byte, error) { return host.Blob(ctx, id, address) })
	}},
	{"pi", "pi", "a session file of the pi family", sessionfile.Export},
}

// FindExportForm returns the form of either name.
func FindExportForm(name string) (ExportForm, bool) {
	for _, f := range ExportForms {
		if name == f.Name || name == f.Short {
			return f, true
		}
	}
	return ExportForm{}, false
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
