package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/grants"
)

// allowFlags is what may always be done, as it is written.
type allowFlags struct {
	workspace, path, domain, command, tool, level string
	recursive                                     bool
	lasts                                         time.Duration
}

func grantsAllow() *cobra.Command {
	var f allowFlags
	cmd := &cobra.Command{
		Use: "allow", Short: "Say what calls may always do in a workspace", Args: cobra.NoArgs,
		Example: `  parley grants allow --command "git log *"
  parley grants allow --path docs --recursive --level write
  parley grants allow --domain "*.example.com" --for 720h`,
		RunE: withGrants(func(store *grants.Store, cmd *cobra.Command, _ []string) error {
			workspace, err := engine.Workspace(f.workspace)
			if err != nil {
				return err
			}
			grant, err := f.grant(workspace, time.Now())
			if err != nil {
				return err
			}
			grant, err = store.Save(workspace, grant)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), grant.ID)
			return err
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.workspace, "workspace", "w", ".", "where it is allowed")
	flags.StringVar(&f.path, "path", "", "a file, or a folder and what lies directly in it")
	flags.BoolVar(&f.recursive, "recursive", false, "with --path: all that lies below too")
	flags.StringVar(&f.domain, "domain", "", "a host, or *.host for all below it too")
	flags.StringVar(&f.command, "command", "", "a command; a star as its last word is any further words")
	flags.StringVar(&f.tool, "tool", "", "a tool of a tool server: SERVER/TOOL, or SERVER/* for all of them")
	flags.StringVar(&f.level, "level", "", "read, write or execute (default: read for a path, else execute)")
	flags.DurationVar(&f.lasts, "for", 0, "how long, as in 8h; 0: until it is revoked")
	cmd.MarkFlagsOneRequired("path", "domain", "command", "tool")
	cmd.MarkFlagsMutuallyExclusive("path", "domain", "command", "tool")
	return cmd
}

// grant is what the flags say; an error is one of usage.
func (f allowFlags) grant(workspace string, now time.Time) (approval.Grant, error) {
	g := approval.Grant{Level: approval.Execute, Scope: approval.Always, Given: now}
	switch {
	case f.path != "":
		path := f.path
		if !filepath.IsAbs(path) {
			path = filepath.Join(workspace, path)
		}
		path, err := filepath.EvalSymlinks(path)
		if err != nil {
			return g, fmt.Errorf("--path: %w", err)
		}
		g.Level, g.Target = approval.Read, approval.Target{Kind: approval.TargetPath, Path: path, Recursive: f.recursive}
	case f.domain != "":
		g.Target = approval.Target{Kind: approval.TargetDomain, Pattern: f.domain}
	case f.command != "":
		g.Target = approval.Target{Kind: approval.TargetCommand, Pattern: f.command}
	default:
		server, name, _ := strings.Cut(f.tool, "/")
		g.Target = approval.Target{Kind: approval.TargetTool, Server: server, Tool: name}
	}
	if f.recursive && f.path == "" {
		return g, errors.New("--recursive is for --path")
	}
	if f.level != "" {
		if err := g.Level.UnmarshalText([]byte(f.level)); err != nil || g.Level == approval.Admin {
			return g, fmt.Errorf("--level %q is none of read, write and execute", f.level)
		}
	}
	switch {
	case f.lasts < 0:
		return g, fmt.Errorf("--for %s has passed already", f.lasts)
	case f.lasts > 0:
		g.Expires = now.Add(f.lasts)
	}
	return g, g.Validate()
}
