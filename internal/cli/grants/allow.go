package grants

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/approval/grantfile"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/engine"
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
		Use: "allow", Short: "Allow calls in a workspace without approval", Args: cli.ExactArgs(),
		Example: `  parley grants allow --command "git log *"
  parley grants allow --path docs --recursive --level write
  parley grants allow --domain "*.example.com" --for 720h`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return checkTarget(cmd.Flags()) },
		RunE: withGrants(func(store *grantfile.Store, cmd *cobra.Command, _ []string) error {
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
			fmt.Fprintln(cmd.ErrOrStderr(), allowed(workspace, grant))
			_, err = fmt.Fprintln(cmd.OutOrStdout(), grant.ID)
			return err
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.workspace, "workspace", "w", ".", "folder in which the calls are allowed")
	flags.StringVar(&f.path, "path", "", "a file, or a folder with the files directly in it")
	flags.BoolVar(&f.recursive, "recursive", false, "with --path: also everything below the folder")
	flags.StringVar(&f.domain, "domain", "", "a host, or *.host for the host and its subdomains")
	flags.StringVar(&f.command, "command", "", "a command; the last word can be * (any operands and safe options) or ** (any words)")
	flags.StringVar(&f.tool, "tool", "", "a tool of a tool server: SERVER/TOOL, or SERVER/* for all of them")
	flags.StringVar(&f.level, "level", "", "read, write or execute (default: read for a path, else execute)")
	flags.DurationVar(&f.lasts, "for", 0, "how long, such as 8h; 0: until it is revoked")
	return cmd
}

// checkTarget requires exactly one of the flags that name what is allowed, with a value.
func checkTarget(flags *pflag.FlagSet) error {
	var given []string
	for _, name := range []string{"path", "domain", "command", "tool"} {
		f := flags.Lookup(name)
		if f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s is empty", name)
		}
		if f.Changed {
			given = append(given, "--"+name)
		}
	}
	switch len(given) {
	case 0:
		return errors.New("one of --path, --domain, --command and --tool is required")
	case 1:
		return nil
	}
	return fmt.Errorf("%s and %s cannot be combined", given[0], given[1])
}

// allowed returns what a stored grant does, for the user.
func allowed(workspace string, g approval.Grant) string {
	until := "until it is revoked"
	if !g.Expires.IsZero() {
		until = "until " + g.Expires.Local().Format(time.DateTime)
	}
	text := fmt.Sprintf("allowed in %s %s: %s, level %s", onOneLine(workspace), until, onOneLine(g.Target.String()), g.Level)
	if scope := g.Target.Star(); scope != "" {
		text += "\n" + scope
	}
	return text
}

// grant returns what the flags say; an error is one of usage.
func (f allowFlags) grant(workspace string, now time.Time) (approval.Grant, error) {
	level := approval.Execute
	var target approval.Target
	switch {
	case f.path != "":
		level, target = approval.Read, approval.Target{Kind: approval.TargetPath, Path: f.path, Recursive: f.recursive}
	case f.domain != "":
		target = approval.Target{Kind: approval.TargetDomain, Pattern: f.domain}
	case f.command != "":
		target = approval.Target{Kind: approval.TargetCommand, Pattern: f.command}
	default:
		server, name, _ := strings.Cut(f.tool, "/")
		target = approval.Target{Kind: approval.TargetTool, Server: server, Tool: name}
	}
	switch {
	case f.recursive && f.path == "":
		return approval.Grant{}, errors.New("--recursive requires --path")
	case f.lasts < 0:
		return approval.Grant{}, fmt.Errorf("--for %s is negative", f.lasts)
	}
	if f.level != "" {
		if err := level.UnmarshalText([]byte(f.level)); err != nil || level == approval.Admin {
			return approval.Grant{}, fmt.Errorf("--level %q is none of read, write and execute", f.level)
		}
	}
	return approval.Lasting(workspace, target, level, f.lasts, now)
}
