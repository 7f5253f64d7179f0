// Package hosts has the command hosts: the processes that share a store.
package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cluster/peer"
)

// Command returns the command hosts.
func Command() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "hosts", Short: "List the processes that share a store on NATS, or drain one", Args: cli.ExactArgs(),
		Long: `List the processes that share a store on NATS: those that live, and those that ended or died within the last minute.
With --json one line of JSON for each.`,
		RunE: cli.WithReader(func(a *app.App, cmd *cobra.Command, _ []string) error {
			all, err := list(a)
			if err != nil {
				return err
			}
			if asJSON {
				return printLines(cmd.OutOrStdout(), all)
			}
			return printTable(cmd.OutOrStdout(), all)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each host")
	cli.AddStoreFlags(cmd.Flags())
	cmd.AddCommand(drainCommand())
	return cmd
}

// list returns the hosts of the store.
func list(a *app.App) ([]peer.Host, error) {
	if a.Member == nil {
		return nil, errors.New("the store is not shared by several hosts: name one on NATS with --store nats://HOST:PORT")
	}
	return a.Member.Hosts(context.Background())
}

// A line is a host in the output for programs.
type line struct {
	Host        string            `json:"host"`
	Name        string            `json:"name"`
	Incarnation string            `json:"incarnation"`
	Version     string            `json:"version"`
	PID         int               `json:"pid"`
	Live        bool              `json:"live"`
	Draining    bool              `json:"draining"`
	Serves      bool              `json:"serves"` // clients of other hosts
	Sessions    int               `json:"sessions"`
	Labels      map[string]string `json:"labels"`
	Slots       int               `json:"slots"`
	SharedRoots []string          `json:"shared_roots"`
	Seen        time.Time         `json:"seen"`
}

func printLines(out io.Writer, all []peer.Host) error {
	for _, h := range all {
		text, err := json.Marshal(line{
			h.ID, h.Name, h.Incarnation, h.Version, h.PID, h.Live, h.Draining, h.Serves, h.Sessions, h.Labels, h.Slots, h.SharedRoots, h.Seen,
		}, json.Deterministic(true))
		if err == nil {
			_, err = fmt.Fprintf(out, "%s\n", text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func printTable(out io.Writer, all []peer.Host) error {
	table := cli.NewTable(out, "HOST", "NAME", "STATE", "SESSIONS", "VERSION", "LABELS", "SEEN")
	for _, h := range all {
		state := "live"
		switch {
		case !h.Live:
			state = "gone"
		case h.Draining:
			state = "drains"
		}
		var labels []string
		for _, key := range slices.Sorted(maps.Keys(h.Labels)) {
			labels = append(labels, key+"="+h.Labels[key])
		}
		table.Row(h.ID, h.Name, state, h.Sessions, h.Version, strings.Join(labels, " "), h.Seen.Local().Format(time.DateTime))
	}
	return table.Print()
}

// pollInterval is how often a host that drains is looked at.
const pollInterval = 500 * time.Millisecond

func drainCommand() *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use: "drain HOST", Short: "Let a host take nothing new, and close its sessions as they become idle", Args: cli.ExactArgs("HOST"),
		Long: `Let a host take nothing new. It closes its sessions as they become idle, so that other hosts can run them; running turns
go on. The command waits until the host has no session open, at most for --wait (exit code 1 after that). The host goes on until it
is stopped; one that was started again is not drained.`,
		RunE: cli.WithApp(func(a *app.App, cmd *cobra.Command, args []string) error {
			if a.Member == nil {
				_, err := list(a)
				return err
			}
			return drain(cmd.OutOrStdout(), a.Member, args[0], wait)
		}),
	}
	cmd.Flags().DurationVar(&wait, "wait", 10*time.Minute, "how long to wait for the sessions of the host")
	cli.AddStoreFlags(cmd.Flags())
	return cmd
}

// drain drains a host, and waits until it has no session open.
func drain(out io.Writer, m peer.Member, id string, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	h, err := m.FindHost(context.Background(), id)
	if err != nil {
		return fmt.Errorf("host %s: %w", id, err)
	}
	answer, err := m.Call(context.Background(), h.Owner(), peer.VerbDrain, "")
	if err == nil && answer != peer.AnswerYes {
		err = errors.New("the process serves no clients, so it cannot be drained")
	}
	if err != nil {
		return fmt.Errorf("host %s: %w", id, err)
	}
	for {
		now, err := m.FindHost(ctx, h.Owner())
		switch {
		case errors.Is(err, peer.ErrNoHost):
			_, err := fmt.Fprintf(out, "%s has ended\n", h.ID)
			return err
		case ctx.Err() == nil && err != nil:
			return fmt.Errorf("host %s: %w", id, err)
		case err == nil && now.Draining && now.Sessions == 0:
			_, err := fmt.Fprintf(out, "%s is drained: no session is open\n", h.ID)
			return err
		case err == nil:
			h.Sessions = now.Sessions
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("host %s has %s open after %s", h.ID, cli.Counted(h.Sessions, "session"), wait)
		case <-time.After(pollInterval):
		}
	}
}
