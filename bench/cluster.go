package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"parley.dev/parley/bench/store"
)

// clusterOptions is the command line of bench cluster.
type clusterOptions struct {
	simulation store.Simulation
	servers    int
	dir        string
}

func parseCluster(args []string) (o clusterOptions, err error) {
	flags := flag.NewFlagSet("bench cluster", flag.ContinueOnError)
	simulate := flags.String("simulate", "hosts=50", "hosts=N,sessions=M: how many hosts, and sessions of each")
	flags.DurationVar(&o.simulation.Time, "time", 15*time.Second, "how long turns run")
	flags.IntVar(&o.servers, "servers", 1, "how many servers: 1, 3 or 5")
	flags.StringVar(&o.dir, "dir", os.TempDir(), "a folder for the data of the servers")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.simulation.Sessions = 20
	for pair := range strings.SplitSeq(*simulate, ",") {
		name, value, _ := strings.Cut(pair, "=")
		n, err := strconv.Atoi(value)
		switch {
		case err != nil || n < 1:
			return o, fmt.Errorf("-simulate: %q has no number above 0", pair)
		case name == "hosts":
			o.simulation.Hosts = n
		case name == "sessions":
			o.simulation.Sessions = n
		default:
			return o, fmt.Errorf("-simulate: %q is neither hosts nor sessions", name)
		}
	}
	if o.simulation.Hosts == 0 {
		return o, errors.New("-simulate: hosts=N is missing")
	}
	return o, nil
}

// simulate runs bench cluster: it prints the tables, or why there is no server.
func simulate(ctx context.Context, o clusterOptions, print func(string)) error {
	dir, err := os.MkdirTemp(o.dir, "parley-bench-cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	servers, err := store.Start(ctx, dir, o.servers)
	if errors.Is(err, store.ErrNoServer) {
		print(fmt.Sprintf("The simulation is left out: %v\n", err))
		return nil
	}
	if err != nil {
		return err
	}
	defer servers.Close()
	measured, err := servers.Simulate(ctx, o.simulation)
	if err != nil {
		return err
	}
	print(measured.Markdown())
	return nil
}
