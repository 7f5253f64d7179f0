package doctor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/stream"
)

// storeTimeout is how long the check of a store may take.
const storeTimeout = 15 * time.Second

// examineStore checks the store, which is the only one that uses the network: sessions are there. A store of files is
// part of the state folder, or another folder.
func examineStore(ctx context.Context, a *app.App) []cli.Finding {
	if a.StoreAddress.Kind != config.NATSStore {
		findings := examineIndex(ctx, cmp.Or(a.StoreAddress.Folder, a.Settings.Home))
		if a.StoreAddress.Folder == "" {
			return findings
		}
		return append(findings, cli.Finding{Check: "store", OK: true, Detail: "file:" + a.StoreAddress.Folder, Required: true})
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return storeFindings(a.StoreAddress.Stream, stream.Check(ctx, a.StoreAddress.Stream, a.Settings.Connection(stream.RoleHost), ""))
}

// examineIndex returns a finding if the list of the sessions in a folder is damaged.
func examineIndex(ctx context.Context, folder string) []cli.Finding {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := file.CheckIndex(ctx, folder); err != nil {
		return []cli.Finding{{Check: "list of sessions", Detail: err.Error(), Fix: "run parley sessions list, which builds it again if it is damaged"}}
	}
	return nil
}

// storeFindings returns what a report means to the user.
func storeFindings(address stream.Address, r stream.Report) []cli.Finding {
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
		all = append(all, cli.Finding{Check: "store: " + p.Code, Detail: p.Text, Fix: storeFixes[p.Code], Required: !f.OK})
	}
	return all
}

// storeFixes are what users do about problems.
var storeFixes = map[string]string{
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
