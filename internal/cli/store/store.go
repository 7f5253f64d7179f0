package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/stream"
)

// Command returns the command store.
func Command() *cobra.Command {
	cmd := &cobra.Command{Use: "store", Short: "Make, check and maintain a store on NATS servers"}
	cmd.AddCommand(storeInit(), storeCheck(), storeInfo(), storeReindex(), storeGC(), storeConfig())
	for _, sub := range cmd.Commands() {
		cli.AddStoreFlags(sub.Flags())
	}
	return cmd
}

// errFiles is the error of a command for a store of files.
var errFiles = errors.New("the store is a folder of files; name one on NATS servers with --store nats://HOST:PORT")

// timeout is how long a command that describes the store may take.
const timeout = time.Minute

// target returns the settings and the address of the store of a command.
func target(cmd *cobra.Command) (config.Settings, stream.Address, error) {
	c, err := config.Load(os.Getenv)
	if err != nil {
		return c.Settings, stream.Address{}, err
	}
	if err := cli.StoreFlagsOf(cmd).Apply(&c.Settings); err != nil {
		return c.Settings, stream.Address{}, err
	}
	a, err := c.StoreAddress()
	if err == nil && a.Kind != config.NATSStore {
		err = errFiles
	}
	return c.Settings, a.Stream, err
}

// initialized is the output of store init --json.
type initialized struct {
	Namespace string `json:"namespace"`
	Replicas  int    `json:"replicas"`
	Shards    int    `json:"shards"`
}

func storeInit() *cobra.Command {
	var o stream.InitOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use: "init", Short: "Make the namespace of a store", Args: cli.ExactArgs(),
		Long: `Make the streams of a namespace. If it is there already with the same replicas and shards, nothing is
changed, except that --max-bytes sets the limit of each stream. With other replicas or shards the exit code is 1.`,
		PreRunE: func(*cobra.Command, []string) error {
			switch {
			case o.Replicas != 1 && o.Replicas != 3 && o.Replicas != 5:
				return fmt.Errorf("--replicas %d is none of 1, 3 and 5", o.Replicas)
			case o.Shards < 1 || o.Shards > 64:
				return fmt.Errorf("--shards %d is not 1 to 64", o.Shards)
			case o.MaxBytes < 0:
				return fmt.Errorf("--max-bytes %d is less than 0", o.MaxBytes)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, a, err := target(cmd)
			if err == nil {
				o.Connect = s.Connection(stream.RoleHost)
				err = stream.Init(context.Background(), a, o)
			}
			if err != nil {
				return cli.Failed(err)
			}
			if asJSON {
				return cli.PrintJSON(cmd, initialized{a.Namespace, o.Replicas, o.Shards})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "namespace %s: %s, %s\n", a.Namespace, cli.Counted(o.Replicas, "replica"), cli.Counted(o.Shards, "shard"))
			return cli.Failed(err)
		},
	}
	cmd.Flags().IntVar(&o.Replicas, "replicas", 1, "how many servers store each record: 1, 3 or 5")
	cmd.Flags().IntVar(&o.Shards, "shards", 1, "how many streams the sessions are distributed over, 1 to 64")
	cmd.Flags().Int64Var(&o.MaxBytes, "max-bytes", 0, "limit of each stream in bytes (0: none)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func storeInfo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "info", Short: "Print what the store consists of, and its size", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, a, err := target(cmd)
			if err != nil {
				return cli.Failed(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			c, err := stream.Dial(a, s.Connection(stream.RoleViewer))
			if err != nil {
				return cli.Failed(fmt.Errorf("store %s: %w", a, err))
			}
			defer c.Close()
			info, err := c.Info(ctx, a.Namespace)
			if err != nil {
				return cli.Failed(fmt.Errorf("store %s: %w", a, err))
			}
			if asJSON {
				return cli.PrintJSON(cmd, info)
			}
			return cli.Failed(printInfo(cmd, info))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printInfo(cmd *cobra.Command, i stream.Info) error {
	fmt.Fprintf(cmd.OutOrStdout(), "namespace %s on %s (%s), made %s\n%s in %s, %d bytes, %s, %s\n\n",
		i.Namespace, i.Server, i.Version, i.Format.Created.Local().Format(time.DateTime),
		cli.Counted(int(i.Sessions), "session"), cli.Counted(int(i.Frames), "frame"), i.Bytes,
		cli.Counted(i.Format.Replicas, "replica"), cli.Counted(i.Format.Shards, "shard"))
	t := cli.NewTable(cmd.OutOrStdout(), "STREAM", "SUBJECTS", "MESSAGES", "BYTES", "LIMIT", "LEADER")
	for _, s := range i.Streams {
		limit := "-"
		if s.MaxBytes > 0 {
			limit = fmt.Sprint(s.MaxBytes)
		}
		t.Row(s.Name, s.Subjects, s.Messages, s.Bytes, limit, s.Leader)
	}
	return t.Print()
}

// withDriver runs a command on the open store.
func withDriver(run func(ctx context.Context, cmd *cobra.Command, s *jetstream.Store) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		settings, _, err := target(cmd)
		if err != nil {
			return cli.Failed(err)
		}
		place, err := settings.StoreAddress()
		if err != nil {
			return cli.Failed(err)
		}
		shared := cli.Linked.OpenShared(app.SharedOptions{Settings: settings, Address: place, Version: cli.Version, Role: stream.RoleHost})
		defer func() { _ = shared.Store.Close() }()
		if err := shared.Member.Open(context.Background()); err != nil {
			return cli.Failed(err)
		}
		return cli.Failed(run(context.Background(), cmd, shared.Store.(*jetstream.Store)))
	}
}

// errSessions is the error where some sessions could not be worked on; they are printed.
var errSessions = errors.New("some sessions cannot be read")

func storeReindex() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "reindex", Short: "Rebuild the index of lists from the journals", Args: cli.ExactArgs(),
		RunE: withDriver(func(ctx context.Context, cmd *cobra.Command, s *jetstream.Store) error {
			done, err := s.Reindex(ctx)
			if err != nil {
				return err
			}
			summary := fmt.Sprintf("%s, %d entries written, %d removed", cli.Counted(done.Sessions, "session"), done.Written, done.Removed)
			return printWork(cmd, asJSON, done, summary, done.Failed)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func storeGC() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "gc", Short: "Finish interrupted removals, and delete blobs that no record names", Args: cli.ExactArgs(),
		RunE: withDriver(func(ctx context.Context, cmd *cobra.Command, s *jetstream.Store) error {
			done, err := s.Collect(ctx)
			if err != nil {
				return err
			}
			summary := fmt.Sprintf("%d removals finished, %s deleted, %s in use left alone", done.Finished, cli.Counted(done.Blobs, "blob"), cli.Counted(done.Busy, "session"))
			return printWork(cmd, asJSON, done, summary, done.Failed)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printWork prints what was done: the object with --json, else the summary and the sessions that failed.
func printWork(cmd *cobra.Command, asJSON bool, done any, summary string, failed []jetstream.SessionFailed) error {
	out := cmd.OutOrStdout()
	if asJSON {
		if err := cli.PrintJSON(cmd, done); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(out, summary)
		for _, f := range failed {
			fmt.Fprintf(out, "%s: %s\n", f.Session, f.Error)
		}
	}
	if len(failed) > 0 {
		return errSessions
	}
	return nil
}
