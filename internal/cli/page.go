package cli

import (
	"context"
	"io"
	"iter"
	"os"

	"parley.dev/parley/internal/companion"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/page"
)

// rendering has a slot for each program that may render a page at the same time: clients of a host may request any number of pages.
var rendering = make(chan struct{}, 4)

// WritePage writes the records of a session as an HTML page, which the program of the console renders.
func WritePage(ctx context.Context, w io.Writer, title string, records iter.Seq2[event.Record, error], blob func(address string) ([]byte, error)) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	console, err := companion.Find(companion.Console, self)
	if err != nil {
		return err
	}
	select {
	case rendering <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-rendering }()
	return page.Write(ctx, w, records, page.Options{Program: console, Version: Version, Title: title, Blob: blob})
}
