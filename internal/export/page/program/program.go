// Package program renders pages for the main program, as a process of its own.
package program

import (
	"fmt"
	"io"
	"iter"
	"os"
	"os/signal"

	"parley.dev/parley/internal/companion"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/html"
	"parley.dev/parley/internal/export/page"
)

// Run writes the page of a session for the program that started this one, see [page.Serve], and returns the exit code.
func Run() int {
	signal.Ignore(os.Interrupt) // of a terminal: the other program gets it too, and decides
	if err := page.Serve(os.Stdin, os.Stdout, companion.Version, Render); err != nil {
		fmt.Fprintln(os.Stderr, "parley-console:", err)
		return 1
	}
	return 0
}

// Render is the [page.Renderer].
func Render(w io.Writer, records iter.Seq2[event.Record, error], title string, blob func(string) ([]byte, error)) error {
	return html.Write(w, records, html.Options{Title: title, Version: companion.Version, Blob: blob})
}
