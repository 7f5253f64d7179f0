package doctor

import (
	"cmp"
	"context"
	"time"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/journal/file"
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
	return cli.Linked.CheckStore(ctx, a)
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
