// Package storecheck is the check of a shared store in the command doctor.
package storecheck

import (
	"context"
	"fmt"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/stream"
)

// Check returns what the store of an App is like.
func Check(ctx context.Context, a *app.App) []cli.Finding {
	return findings(a.StoreAddress.Stream, stream.Check(ctx, a.StoreAddress.Stream, a.Settings.Connection(stream.RoleHost), ""))
}

// findings returns what a report means to the user.
func findings(address stream.Address, r stream.Report) []cli.Finding {
	f := cli.Finding{Check: "store", Detail: address.String(), Required: true, OK: r.AppendP50 > 0}
	if f.OK {
		f.Detail += fmt.Sprintf(": server %s, %s, a record is stored in %d µs (median), clock skew %d ms",
			r.Server, cli.Counted(r.Replicas, "replica"), r.AppendP50, r.ClockSkew)
	}
	all := []cli.Finding{f}
	if r.Unmeasured != "" {
		all = append(all, cli.Finding{Check: "store: permission", Detail: r.Unmeasured, Fix: "connect as a user of the role host", Required: true})
	}
	for _, p := range r.Problems {
		all = append(all, cli.Finding{Check: "store: " + p.Code, Detail: p.Text, Fix: fixes[p.Code], Required: !f.OK})
	}
	return all
}

// fixes are what users do about problems.
var fixes = map[string]string{
	stream.ProblemUnreachable: "start the servers, or correct --store, PARLEY_STORE or store in the configuration",
	stream.ProblemPermission:  "connect as a user of the role host",
	stream.ProblemNamespace:   "run parley store init",
	stream.ProblemStream:      "run parley store init",
	stream.ProblemMajority:    "start the servers that are away",
	stream.ProblemReplicas:    "start the servers that are away",
	stream.ProblemFull:        "remove sessions, or raise the limit with parley store init --max-bytes",
	stream.ProblemVersion:     "upgrade nats-server",
	stream.ProblemSkew:        "synchronize the clocks of both machines",
}
