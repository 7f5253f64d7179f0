package mcpcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/mcp"
	"parley.dev/parley/internal/tool"
)

// Command returns the command mcp.
func Command() *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "Add, list and test tool servers (MCP), sign in to them, or be one"}
	cmd.AddCommand(mcpList(), mcpTest(), mcpAdd(), mcpRemove(), mcpLogin(), mcpLogout(), mcpServe())
	return cmd
}

// A listedServer is what mcp list shows of a server: no value that may be a secret.
type listedServer struct {
	Name     string   `json:"name"`
	Command  string   `json:"command,omitzero"` // without arguments
	URL      string   `json:"url,omitzero"`     // without user and query
	Env      []string `json:"env,omitzero"`     // names
	Headers  []string `json:"headers,omitzero"` // names
	Dir      string   `json:"dir,omitzero"`
	Disabled bool     `json:"disabled,omitzero"`
	Trusted  bool     `json:"trusted,omitzero"`
	Type     string   `json:"type,omitzero"`      // if it is configured
	SignedIn *bool    `json:"signed_in,omitzero"` // nil: a program, or a server with a configured token
}

func mcpList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the configured tool servers without starting them", Args: cli.ExactArgs(),
		RunE: cli.WithApp(func(a *app.App, cmd *cobra.Command, _ []string) error {
			servers := listServers(a.ServersHere())
			for i := range servers {
				servers[i].SignedIn = signedIn(a, servers[i].Name)
			}
			if asJSON {
				return cli.PrintJSON(cmd, servers)
			}
			return printServers(cmd.OutOrStdout(), servers)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func listServers(configured map[string]config.MCPServer) []listedServer {
	servers := []listedServer{}
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		m := configured[name]
		servers = append(servers, listedServer{
			Name: name, Command: m.Command, URL: config.PlainURL(m.URL), Dir: m.Dir, Disabled: m.Disabled, Trusted: m.Trusted, Type: m.Type,
			Env: slices.Sorted(maps.Keys(m.Env)), Headers: slices.Sorted(maps.Keys(m.Headers)),
		})
	}
	return servers
}

func printServers(w io.Writer, servers []listedServer) error {
	t := cli.NewTable(w, "NAME", "KIND", "WHERE", "STATE")
	for _, s := range servers {
		kind, where, state := "program", s.Command, "enabled"
		if s.URL != "" {
			kind, where = cmp.Or(s.Type, config.TypeHTTP), s.URL
		}
		if s.Disabled {
			state = "disabled"
		}
		if s.Trusted {
			state += ", trusted"
		}
		if s.SignedIn != nil {
			state += map[bool]string{true: ", signed in", false: ", no sign-in is stored"}[*s.SignedIn]
		}
		t.Row(s.Name, kind, where, state)
	}
	return t.Print()
}

// A testedServer is one line of mcp test.
type testedServer struct {
	Server   string       `json:"server"`
	OK       bool         `json:"ok"`
	Error    string       `json:"error,omitzero"`
	Name     string       `json:"name,omitzero"` // its own
	Version  string       `json:"version,omitzero"`
	Protocol string       `json:"protocol,omitzero"`
	TookMS   int64        `json:"took_ms,omitzero"`
	Tools    []testedTool `json:"tools,omitzero"`
}

type testedTool struct {
	Name        string `json:"name"`      // that models see
	Of          string `json:"of_server"` // the server's own
	Description string `json:"description,omitzero"`
}

// errServers: at least one server cannot be used.
var errServers = errors.New("not every server can be used")

func mcpTest() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "test NAME...", Short: "Start tool servers and list their tools", Args: cli.RequireArgs("NAME"),
		Long: `Start the named servers, disabled ones too, list their tools, and stop them. They run in
this folder unless the configuration says where. Exit code 1 when one cannot be used.`,
		RunE: cli.WithScreen([]string{cli.LogServerFailed}, func(a *app.App, cmd *cobra.Command, names []string) error {
			results, err := testServers(cmd.Context(), a, names)
			if err != nil {
				return err
			}
			if asJSON {
				err = cli.PrintJSON(cmd, results)
			} else {
				err = printTested(cmd.OutOrStdout(), results)
			}
			if err == nil && slices.ContainsFunc(results, func(r testedServer) bool { return !r.OK }) {
				err = errServers
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// testServers tries one server after the other; an unknown name is an error before any is.
func testServers(ctx context.Context, a *app.App, names []string) ([]testedServer, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var servers []tool.Server
	configured := a.ServersIn(dir)
	for _, name := range names {
		m, ok := configured[name]
		if !ok {
			return nil, fmt.Errorf("no server %q is configured: parley mcp list shows those that are", name)
		}
		servers = append(servers, m.Server(name, os.Getenv))
	}
	var results []testedServer
	for _, s := range servers {
		report, err := a.MCP.Test(ctx, s, dir)
		results = append(results, testedOf(s.Name, report, err))
	}
	return results, nil
}

func testedOf(name string, r mcp.Report, err error) testedServer {
	if err != nil {
		return testedServer{Server: name, Error: err.Error()}
	}
	t := testedServer{Server: name, OK: true, Name: r.Name, Version: r.Version, Protocol: r.Protocol, TookMS: r.Took.Milliseconds()}
	for _, remote := range r.Tools {
		_, of := remote.Origin()
		t.Tools = append(t.Tools, testedTool{remote.Name(), of, remote.Description()})
	}
	return t
}

func printTested(w io.Writer, results []testedServer) error {
	t := cli.NewTable(w)
	t.Fits = true
	for _, r := range results {
		if !r.OK {
			t.Row("--", r.Server, r.Error)
			continue
		}
		own := strings.TrimSpace(r.Name + " " + r.Version)
		took := time.Duration(r.TookMS) * time.Millisecond
		t.Row("ok", r.Server, fmt.Sprintf("%s, protocol %s, %s in %v", own, r.Protocol, cli.Counted(len(r.Tools), "tool"), took))
		for _, offered := range r.Tools {
			first, _, _ := strings.Cut(offered.Description, "\n")
			t.Row("", offered.Name, first)
		}
	}
	return t.Print()
}
