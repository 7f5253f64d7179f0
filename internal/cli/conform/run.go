package conform

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/conform"
	"parley.dev/parley/internal/terminal"
)

// run plays the cases and writes the report.
func (f *conformFlags) run(cmd *cobra.Command, s conform.Suite) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	text := f.format == formats[0]
	var progress io.Writer = cmd.OutOrStdout()
	if !text || f.output != "" {
		progress = cmd.ErrOrStderr()
	}
	shown := terminal.Output(progress)
	defer shown.Close()
	progress = shown
	fmt.Fprintf(progress, "%s of %s: %s\n", s.Side, s.Dialect, strings.Join(f.options.Command, " "))
	var lines strings.Builder
	began := time.Now()
	results := conform.Run(ctx, s, f.options, func(r conform.Result) {
		fmt.Fprintln(progress, r.Line())
		fmt.Fprintln(&lines, r.Line())
	})
	if ctx.Err() != nil {
		return &cli.ExitError{Code: cli.ExitInterrupted, Err: context.Canceled}
	}
	report := conform.NewReport(s, f.options, results, time.Since(began))
	write := func(w io.Writer) error {
		if text && f.output != "" {
			if _, err := io.WriteString(w, lines.String()); err != nil {
				return err
			}
		}
		return f.write(w, report)
	}
	if err := f.writeReport(cmd, write); err != nil {
		return cli.Failed(err)
	}
	if report.Counts[conform.Failed] > 0 {
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return nil
}

// writeReport calls write with the file or stdout.
func (f *conformFlags) writeReport(cmd *cobra.Command, write func(io.Writer) error) error {
	if f.output == "" {
		return cli.Display(cmd, write)
	}
	return cli.WriteFile(f.output, write)
}

// write writes a report in the format of the flags.
func (f *conformFlags) write(w io.Writer, r conform.Report) error {
	switch f.format {
	case "json":
		out, err := json.Marshal(r, json.Deterministic(true), jsontext.WithIndent("  "))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", out)
		return err
	case "junit":
		return r.WriteJUnit(w)
	}
	return r.WriteDetails(w, f.verbose)
}

// printCases prints the cases of a suite.
func (f *conformFlags) printCases(cmd *cobra.Command, s conform.Suite) error {
	for _, c := range s.Cases {
		severity := "required"
		if c.Recommended {
			severity = "recommended"
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%-22s %-11s %s\n%36s%s\n", c.Name, severity, c.Title, "", c.Source); err != nil {
			return cli.Failed(err)
		}
	}
	return nil
}
