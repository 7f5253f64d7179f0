package serve

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/host"
)

// HostControl returns the command that asks and stops a running host, and lets browsers in.
func HostControl() *cobra.Command {
	var socket string
	var asJSON bool
	cmd := &cobra.Command{Use: "host", Short: "Show or stop the host that serves several clients, or let a browser in", Args: cli.ExactArgs()}
	status := &cobra.Command{
		Use: "status", Short: "Show whether a host runs (exit code 1: none does)", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := socketOf(socket)
			if err != nil {
				return cli.Failed(err)
			}
			return showStatus(cmd.OutOrStdout(), path, asJSON)
		},
	}
	status.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	stop := &cobra.Command{
		Use: "stop", Short: "Stop the host and wait until it has ended", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := config.Load(os.Getenv)
			if err != nil {
				return cli.Failed(err)
			}
			path := cmp.Or(socket, host.SocketPath(settings.Home))
			running, err := host.Stop(settings.Home, path, func(w host.Waiting) {
				turns, asking := "its turn", ""
				if w.Sessions > 1 {
					turns = "their turns"
				}
				if w.Asking > 0 {
					asking = fmt.Sprintf(", %d of them for an answer", w.Asking)
				}
				fmt.Fprintf(os.Stderr, "waiting for %s to end %s%s (at most %s)\n", cli.Counted(w.Sessions, "session"), turns, asking, w.Limit)
			})
			if err == nil && !running {
				err = fmt.Errorf("no host listens at %s", path)
			}
			return cli.Failed(err)
		},
	}
	for _, c := range []*cobra.Command{status, stop} {
		c.Flags().StringVar(&socket, "socket", "", "path of the socket (default: run/host.sock in the state folder)")
	}
	cmd.AddCommand(status, stop, hostLink())
	return cmd
}

// socketOf returns the path of the socket that a flag names, or of the configured state folder.
func socketOf(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	settings, err := config.Load(os.Getenv)
	return host.SocketPath(settings.Home), err
}

// showStatus prints whether a host runs.
func showStatus(out io.Writer, socket string, asJSON bool) error {
	status, err := host.ReadStatus(socket)
	if err != nil && !status.Running {
		return cli.Failed(err)
	}
	switch {
	case asJSON:
		line, err := json.Marshal(status)
		if err != nil {
			return cli.Failed(err)
		}
		fmt.Fprintf(out, "%s\n", line)
	case err != nil: // such as one that has as many clients as it takes
		fmt.Fprintf(out, "a host (process %d) at %s: %v\n", status.PID, status.Socket, err)
	case status.Running:
		fmt.Fprintf(out, "host %s (process %d) at %s: %s open, %s\n", status.Host, status.PID, status.Socket, cli.Counted(*status.Sessions, "session"), cli.Counted(*status.Clients, "client"))
	default:
		fmt.Fprintf(out, "no host listens at %s\n", socket)
	}
	if !status.Running {
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return nil
}
