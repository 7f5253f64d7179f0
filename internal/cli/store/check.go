package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/stream"
)

// errProblems is the error of a store with problems, which are printed.
var errProblems = errors.New("the store has problems")

func storeCheck() *cobra.Command {
	var asJSON bool
	var monitor string
	cmd := &cobra.Command{
		Use: "check", Short: "Check the store, and measure how long a record takes", Args: cli.ExactArgs(),
		Long: `Connect to the store, check its streams, clocks and version, and measure how long a record takes until it is
stored. Whether a server syncs its files before it answers is visible only on its monitoring port (--monitor).
A user that must not write (role viewer) checks the rest. The exit code is 1 if there is a problem.`,
		PreRunE: func(*cobra.Command, []string) error {
			if u, err := url.Parse(monitor); monitor != "" && (err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https") {
				return errors.New("--monitor is not an address such as http://127.0.0.1:8222")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, a, err := target(cmd)
			if err != nil {
				return cli.Failed(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			report := stream.Check(ctx, a, s.Connection(stream.RoleViewer), monitor)
			if asJSON {
				err = cli.PrintJSON(cmd, report)
			} else {
				err = printReport(cmd, report)
			}
			if err == nil && !report.OK {
				err = errProblems
			}
			return cli.Failed(err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&monitor, "monitor", "", "address of the monitoring port of a server, such as http://127.0.0.1:8222")
	return cmd
}

func printReport(cmd *cobra.Command, r stream.Report) error {
	t := cli.NewTable(cmd.OutOrStdout())
	if r.Server != "" {
		t.Row("server", r.Server)
	}
	if r.Replicas > 0 {
		t.Row("replicas, shards", fmt.Sprintf("%d, %d", r.Replicas, r.Shards))
		duration := fmt.Sprintf("%d µs (median), %d µs (99 of 100)", r.AppendP50, r.AppendP99)
		if r.Unmeasured != "" {
			duration = "not measured: " + r.Unmeasured
		}
		t.Row("a record is stored in", duration)
		t.Row("clock skew", fmt.Sprintf("%d ms", r.ClockSkew))
	}
	sync := r.SyncInterval
	if sync == "unknown" {
		sync += " (--monitor reads it)"
	}
	t.Row("sync_interval", sync)
	for _, p := range r.Problems {
		t.Row("problem: "+p.Code, p.Text)
	}
	return t.Print()
}
