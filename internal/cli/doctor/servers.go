package doctor

import (
	"context"
	"errors"
	"os"
	"sync"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/mcp"
	"parley.dev/parley/internal/tool"
)

// testServer starts a server in an empty folder: programs load what lies where they are started, and other users can write to the folder for
// temporary files.
func testServer(ctx context.Context, a *app.App, s tool.Server) (report mcp.Report, err error) {
	dir, err := a.Temp.MakeNew("server")
	if err != nil {
		return report, err
	}
	return a.MCP.Test(ctx, s, dir)
}

// examineServers starts the configured tool servers side by side, and lists their tools.
func examineServers(ctx context.Context, a *app.App) []cli.Finding {
	servers := config.EnabledServers(a.ServersHere(), os.Getenv)
	findings := make([]cli.Finding, len(servers))
	var tests sync.WaitGroup
	for i, s := range servers {
		tests.Go(func() {
			f := cli.Finding{Check: "tool server: " + s.Name}
			report, err := testServer(ctx, a, s)
			if wanted, ok := errors.AsType[*mcp.SignInError](err); ok {
				f.Detail, f.Fix = "it wants a sign-in", "run parley mcp login "+wanted.Login
			} else if err != nil {
				f.Detail, f.Fix = err.Error(), "correct mcp_servers."+s.Name+" in the configuration, and try parley mcp test "+s.Name
			} else {
				f.OK, f.Detail = true, cli.Counted(len(report.Tools), "tool")
			}
			findings[i] = f
		})
	}
	tests.Wait()
	return findings
}
