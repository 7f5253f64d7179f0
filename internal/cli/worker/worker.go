// Package worker is the command that runs tasks of batches.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/app/batches"
	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/batch/worker"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cluster/peer"
	"parley.dev/parley/internal/host/web"
)

// workerFlags is the command line of worker.
type workerFlags struct {
	slots           int
	queues          []string
	labels          []string
	root            string
	repos           []string
	listen          string
	drain, idleExit time.Duration
	once, asJSON    bool
}

// ready is the line that worker --json prints when it begins.
type ready struct {
	Worker string   `json:"worker"`
	Slots  int      `json:"slots"`
	Queues []string `json:"queues"`
	Root   string   `json:"root"`
	URL    string   `json:"url,omitzero"` // of --listen
}

// Command returns the command worker.
func Command() *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use: "worker", Short: "Run tasks of batches", Args: cli.ExactArgs(),
		Long: `Run tasks of batches: each in a fresh worktree and a session of its own, without approvals, in
the sandbox that the task names. Any number of workers can run at the same time.

After SIGTERM the worker takes no more tasks, waits for those that run, and gives those back
which are not finished after --drain: another worker runs them, and no attempt is used up.

With --listen there is HTTP: /healthz, /readyz and /metrics, at an address of this machine, without
a token.

Exit codes: 0 after SIGTERM, --once or --idle-exit, 1 failed, 2 wrong command line, 129 or 130
ended by SIGHUP or SIGINT (Ctrl-C).`,
		Example: `  parley worker --slots 4
  parley worker --queue nightly --label os=linux --repos "/srv/repos/**" --idle-exit 10m`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			labels, err := f.check()
			if err != nil {
				return err
			}
			return cli.WithApp(func(a *app.App, cmd *cobra.Command, _ []string) error { return run(a, cmd, f, labels) })(cmd, nil)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.slots, "slots", 1, "how many tasks run at the same time")
	flags.StringArrayVar(&f.queues, "queue", []string{batch.DefaultQueue}, "a queue to take tasks from; can be repeated")
	flags.StringArrayVar(&f.labels, "label", nil, "NAME=VALUE that tasks can require; can be repeated")
	flags.StringVar(&f.root, "root", "", "folder for clones and worktrees (default: beside the state folder)")
	flags.StringArrayVar(&f.repos, "repos", nil, "pattern of paths or URLs of repositories whose tasks it runs, such as /srv/repos/**; can be repeated (default: all)")
	flags.StringVar(&f.listen, "listen", "", "address of this machine to serve metrics at, such as 127.0.0.1:0")
	flags.DurationVar(&f.drain, "drain", 30*time.Second, "how long running tasks may take after SIGTERM")
	flags.DurationVar(&f.idleExit, "idle-exit", 0, "end when there was no task for so long; 0: wait")
	flags.BoolVar(&f.once, "once", false, "end after one task")
	flags.BoolVar(&f.asJSON, "json", false, "print a line of JSON when it is ready")
	cli.AddStoreFlags(flags)
	return cmd
}

// check returns the labels of the command line.
func (f workerFlags) check() (map[string]string, error) {
	switch {
	case f.slots < 1:
		return nil, fmt.Errorf("--slots %d: want at least 1", f.slots)
	case f.listen != "" && web.CheckAddress(f.listen, false) != nil:
		return nil, fmt.Errorf("--listen %s: want HOST:PORT, and an address that only this machine can reach", f.listen)
	case f.drain < 0 || f.idleExit < 0:
		return nil, errors.New("--drain and --idle-exit cannot be negative")
	}
	for _, queue := range f.queues {
		if err := batch.CheckBatchID("--queue", queue); err != nil {
			return nil, err
		}
	}
	labels := map[string]string{}
	for _, label := range f.labels {
		name, value, ok := strings.Cut(label, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--label %q: want NAME=VALUE", label)
		}
		labels[name] = value
	}
	return labels, nil
}

func run(a *app.App, cmd *cobra.Command, f workerFlags, labels map[string]string) error {
	stop := cli.NotifyStop()
	if err := join(cmd.Context(), a, f.slots, labels); err != nil {
		return err
	}
	store, err := batches.Open(a)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // it only releases
	o := batches.WorkerOptions(a, batch.New(store))
	o.ID, o.Slots, o.Queues, o.Labels, o.Repos, o.Drain, o.IdleExit, o.Once = workerID(a), f.slots, f.queues, labels, f.repos, f.drain, f.idleExit, f.once
	state := newStatus(a, store, f)
	o.Observer = state
	o.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)).With("worker", o.ID)
	if f.root != "" {
		if o.Root, err = filepath.Abs(f.root); err != nil {
			return err
		}
	}
	url := ""
	if f.listen != "" {
		address, end, err := state.serve(f.listen)
		if err != nil {
			return err
		}
		defer end()
		url = address
		o.Log.Info("metrics are served", "url", url)
	}
	if f.asJSON {
		line, err := json.Marshal(ready{o.ID, o.Slots, o.Queues, o.Root, url})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", line); err != nil {
			return err
		}
	}
	o.Log.Info("worker ready", "slots", o.Slots, "queues", o.Queues, "root", o.Root)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	go func() {
		select {
		case <-stop.Asked:
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := worker.Run(ctx, o); err != nil {
		return err
	}
	return exitOf(stop.Signal())
}

// workerID returns the id of a worker: in a shared store, that of its host.
func workerID(a *app.App) string {
	if a.Member == nil {
		return worker.NewID()
	}
	id, _, _ := strings.Cut(a.Member.Owner(), ".")
	return id
}

// join makes the worker one of the hosts of a shared store.
func join(ctx context.Context, a *app.App, slots int, labels map[string]string) error {
	if a.Member != nil {
		a.Member.Describe(func() peer.Description { return peer.Description{Labels: labels, Slots: slots} })
	}
	return a.Join(ctx)
}

// exitOf returns how the worker ends after a signal.
func exitOf(signal os.Signal) error {
	if number, ok := signal.(syscall.Signal); ok && number != syscall.SIGTERM {
		return &cli.ExitError{Code: 128 + int(number)}
	}
	return nil
}
