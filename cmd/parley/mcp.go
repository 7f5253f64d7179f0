package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/mcp"
	"parley.dev/parley/internal/tool"
)

func mcpCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "List and test tool servers (MCP)"}
	cmd.AddCommand(mcpList(), mcpTest())
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
}

func mcpList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the configured tool servers; none is started", Args: cobra.NoArgs,
		RunE: withApp(func(a *app, cmd *cobra.Command, _ []string) error {
			servers := listServers(a.settings.Settings)
			if asJSON {
				return printJSON(cmd, servers)
			}
			return printServers(cmd.OutOrStdout(), servers)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func listServers(s Settings) []listedServer {
	servers := []listedServer{}
	for _, name := range slices.Sorted(maps.Keys(s.MCPServers)) {
		m := s.MCPServers[name]
		servers = append(servers, listedServer{
			Name: name, Command: m.Command, URL: plainURL(m.URL), Dir: m.Dir, Disabled: m.Disabled,
			Env: slices.Sorted(maps.Keys(m.Env)), Headers: slices.Sorted(maps.Keys(m.Headers)),
		})
	}
	return servers
}

// plainURL is an address without what may be secret in it.
func plainURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(unreadable)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func printServers(w io.Writer, servers []listedServer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tKIND\tWHERE\tSTATE")
	for _, s := range servers {
		kind, where, state := "program", s.Command, "enabled"
		if s.URL != "" {
			kind, where = "http", s.URL
		}
		if s.Disabled {
			state = "disabled"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.Name, kind, where, state)
	}
	return t.Flush()
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
		Use: "test NAME...", Short: "Start tool servers and list their tools", Args: cobra.MinimumNArgs(1),
		Long: `Start the named servers, disabled ones too, list their tools, and stop them. They run in
this folder unless the configuration says where. Exit code 1 when one cannot be used.`,
		RunE: withApp(func(a *app, cmd *cobra.Command, names []string) error {
			results, err := a.testServers(cmd.Context(), names)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd, results)
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
func (a *app) testServers(ctx context.Context, names []string) ([]testedServer, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var servers []tool.Server
	for _, name := range names {
		m, ok := a.settings.MCPServers[name]
		if !ok {
			return nil, fmt.Errorf("no server %q is configured: parley mcp list shows those that are", name)
		}
		m.Disabled = false
		servers = append(servers, Settings{MCPServers: map[string]MCPServer{name: m}}.servers()...)
	}
	var results []testedServer
	for _, s := range servers {
		report, err := a.mcp.Test(ctx, s, dir)
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
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range results {
		if !r.OK {
			fmt.Fprintf(t, "--\t%s\t%s\n", r.Server, r.Error)
			continue
		}
		own := strings.TrimSpace(r.Name + " " + r.Version)
		took := time.Duration(r.TookMS) * time.Millisecond
		fmt.Fprintf(t, "ok\t%s\t%s, protocol %s, %d tools in %v\n", r.Server, own, r.Protocol, len(r.Tools), took)
		for _, offered := range r.Tools {
			first, _, _ := strings.Cut(offered.Description, "\n")
			fmt.Fprintf(t, "\t%s\t%s\n", offered.Name, first)
		}
	}
	return t.Flush()
}
