// Tasks has scripted models do twenty-odd pieces of work with the built program, over the wires of real
// providers, and compares how many requests, calls and tokens they need, and whether the work is done,
// with what is checked in. docs/tasks.md says how to read and extend it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

// options is the command line.
type options struct {
	program  string
	dir      string // the folder of the bench
	page     string // that shows the table
	only     string
	parallel int
	update   bool
	verbose  bool
	record   string
	upstream string
	model    string
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("tasks", flag.ContinueOnError)
	flags.StringVar(&o.program, "program", "bin/parley", "the program that does the work")
	flags.StringVar(&o.dir, "dir", "bench/tasks", "the folder with testdata and expected.txt")
	flags.StringVar(&o.page, "page", "docs/tasks.md", "the page that shows the table")
	flags.StringVar(&o.only, "run", "", "only runs whose TASK/MODEL matches this expression")
	flags.IntVar(&o.parallel, "parallel", 2*runtime.NumCPU(), "how many runs at a time")
	flags.BoolVar(&o.update, "update", false, "write the table anew, in expected.txt and in the page")
	flags.BoolVar(&o.verbose, "v", false, "print what each model reads and answers")
	flags.StringVar(&o.record, "record", "", "write the answers of the one run that -run selects to this file")
	flags.StringVar(&o.upstream, "upstream", "", "with -record: pass requests on to this provider, such as https://api.anthropic.com; needs -model and its key")
	flags.StringVar(&o.model, "model", "", "with -upstream: the model, as the program names it")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.program, err = filepath.Abs(o.program); err != nil {
		return o, err
	}
	if (o.upstream == "") != (o.model == "") || o.upstream != "" && o.record == "" {
		return o, errors.New("-upstream, -model and -record belong together")
	}
	return o, nil
}

func main() {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tasks:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := work(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tasks:", err)
		os.Exit(1)
	}
}

// work plays all runs and compares their counts.
func work(ctx context.Context, o options, out io.Writer) error {
	runs, err := selectRuns(o)
	if err != nil {
		return err
	}
	results, err := playAll(ctx, o, runs, out)
	if err != nil {
		return err
	}
	expected := filepath.Join(o.dir, "expected.txt")
	table := formatTable(results)
	fmt.Fprint(out, table)
	for _, r := range results {
		if r.why != "" {
			fmt.Fprintf(out, "%s: %s\n", r.name(), r.why)
		}
	}
	switch {
	case o.record != "":
		return nil
	case o.update && o.only != "":
		return errors.New("-update writes the whole table: leave out -run")
	case o.update:
		return errors.Join(os.WriteFile(expected, []byte(table), 0o644), writePage(o.page, table))
	case o.only != "":
		return compare(expected, table, true)
	}
	return errors.Join(compare(expected, table, false), checkPage(o.page, table))
}
