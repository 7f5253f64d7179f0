package mcpcmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/regular"
)

// The files that mcp add writes.
const (
	scopeUser    = "user"
	scopeProject = "project"
)

func mcpAdd() *cobra.Command {
	var env, headers []string
	var scope, transport string
	cmd := &cobra.Command{
		Use: "add NAME URL|COMMAND [ARGS]...", Short: "Add a tool server to the configuration",
		Long: `Add a tool server to the configuration: a program after --, or an address. Comments and formatting of the file stay.
With --scope project it is added to .mcp.json in this folder, which is read if the folder is trusted.

In values, ${NAME} stands for a variable of the environment: tokens need not stand in the file.`,
		Example: "  parley mcp add files -- npx -y @modelcontextprotocol/server-filesystem /data\n" +
			"  parley mcp add notes https://mcp.example.com/mcp\n" +
			"  parley mcp add issues https://example.com/mcp --header 'Authorization: Bearer ${ISSUES_TOKEN}'",
		Args: cli.RequireArgs("NAME", "URL or COMMAND"),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := newServerSetting(args[1:], env, headers, transport)
			if err != nil {
				return cli.Failed(err)
			}
			path, err := addServer(args[0], server, scope)
			if err != nil {
				return cli.Failed(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "added %s to %s; try it: parley mcp test %s\n", args[0], path, args[0])
			if scope == scopeProject {
				return cli.Failed(noteTrust(cmd, filepath.Dir(path)))
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&env, "env", nil, "`NAME=VALUE` of a variable of the program; can be repeated")
	flags.StringArrayVar(&headers, "header", nil, "`'NAME: VALUE'` of a header; can be repeated")
	flags.StringVar(&scope, "scope", scopeUser, "user or project")
	flags.StringVar(&transport, "type", "", "stdio, http or sse (default: by what is given)")
	return cmd
}

// noteTrust prints how to allow the servers of a project.
func noteTrust(cmd *cobra.Command, dir string) error {
	settings, err := config.Load(os.Getenv)
	if err == nil && !settings.Trusts(dir) {
		fmt.Fprintf(cmd.OutOrStdout(), "it is not used before you trust this folder: add %s to trusted_folders in %s\n", dir, settings.File)
	}
	return err
}

func mcpRemove() *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use: "remove NAME", Short: "Remove a tool server from the configuration", Args: cli.ExactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := removeServer(args[0], scope)
			if err != nil {
				return cli.Failed(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "removed %s from %s\n", args[0], path)
			return nil
		},
	}
	cmd.Flags().StringVar(&scope, "scope", scopeUser, "user or project")
	return cmd
}

// newServerSetting returns the setting of a server as the command line names it.
func newServerSetting(words, env, headers []string, transport string) (config.MCPServer, error) {
	s := config.MCPServer{Type: transport}
	if strings.Contains(words[0], "://") {
		if len(words) > 1 {
			return s, fmt.Errorf("unexpected argument %q after the address", words[1])
		}
		s.URL = words[0]
	} else {
		s.Command, s.Args = words[0], words[1:]
	}
	switch {
	case s.URL != "" && len(env) > 0:
		return s, errors.New("--env is for programs: a remote server has headers")
	case s.Command != "" && len(headers) > 0:
		return s, errors.New("--header is for addresses: a program has variables (--env)")
	}
	for _, entry := range env {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			return s, errors.New("--env is written NAME=VALUE")
		}
		s.Env = with(s.Env, name, value)
	}
	for _, entry := range headers {
		name, value, ok := strings.Cut(entry, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return s, errors.New("--header is written 'NAME: VALUE'")
		}
		s.Headers = with(s.Headers, name, strings.TrimSpace(value))
	}
	return s, nil
}

func with(values map[string]string, name, value string) map[string]string {
	if values == nil {
		values = map[string]string{}
	}
	values[name] = value
	return values
}

// serverName is what mcp add takes: models see it in the names of tools.
var serverName = lazy.Regexp{Expr: `^[A-Za-z0-9][A-Za-z0-9._-]*$`}

// addServer writes a server to the file of a scope, and returns its path.
func addServer(name string, s config.MCPServer, scope string) (string, error) {
	if !serverName.Get().MatchString(name) {
		return "", fmt.Errorf("the name %q has other characters than letters, digits, dots, - and _", name)
	}
	s, err := s.Settled(name)
	if err != nil {
		return "", err
	}
	value, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	return editServers(scope, func(path string, text []byte, maps []string) ([]byte, error) {
		for _, key := range maps {
			if _, there, err := configfile.Remove(path, text, key, name); err != nil || there {
				return nil, cmp.Or(err, fmt.Errorf("%s has a server %s: remove it first, parley mcp remove %s", path, name, name))
			}
		}
		return configfile.Add(path, text, value, maps[0], name)
	})
}

func removeServer(name, scope string) (string, error) {
	return editServers(scope, func(path string, text []byte, maps []string) ([]byte, error) {
		for _, key := range maps {
			if rest, there, err := configfile.Remove(path, text, key, name); err != nil || there {
				return rest, err
			}
		}
		return nil, fmt.Errorf("no server %q is in %s", name, path)
	})
}

// editServers changes the file of a scope as a whole or not at all. maps is the settings that have servers, the one
// for new servers first.
func editServers(scope string, edit func(path string, text []byte, maps []string) ([]byte, error)) (string, error) {
	var path string
	var mode fs.FileMode
	var check func(text []byte) error
	maps := []string{"mcp_servers", "mcpServers", "servers"}
	switch scope {
	case scopeUser:
		path, mode = config.Path(os.Getenv), 0o600
		check = func(text []byte) error {
			_, err := configfile.Decode(path, text, &config.Settings{}, json.RejectUnknownMembers(true))
			return err
		}
	case scopeProject:
		dir, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path, mode = filepath.Join(dir, config.ProjectServersFile), 0o644
		maps = []string{"mcpServers", "servers"}
		check = func(text []byte) error {
			_, err := configfile.Decode(path, text, &config.ServerMaps{}, json.RejectUnknownMembers(true))
			return err
		}
	default:
		return "", fmt.Errorf("--scope: unknown value %q: expected user or project", scope)
	}
	target, err := filepath.EvalSymlinks(path) // a user's file may be a link into a folder of such files
	if errors.Is(err, fs.ErrNotExist) {
		target, err = path, os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Lstat(path); err == nil && scope == scopeProject && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	text, err := regular.ReadFile(target, config.MaxProjectServers)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := check(text); err != nil {
		return "", err
	}
	var named map[string]any
	if f, err := configfile.Decode(path, text, &named); err == nil { // new servers go where the others are
		slices.SortStableFunc(maps, func(a, b string) int { return has(f.Names(), b) - has(f.Names(), a) })
	}
	changed, err := edit(path, text, maps)
	if err != nil {
		return "", err
	}
	if err := check(changed); err != nil {
		return "", fmt.Errorf("the change would make the file unusable: %w", err)
	}
	if info, err := os.Stat(target); err == nil {
		mode = info.Mode().Perm()
	}
	return path, atomicfile.WriteFile(target, changed, mode)
}

func has(names []string, name string) int {
	if slices.Contains(names, name) {
		return 1
	}
	return 0
}
