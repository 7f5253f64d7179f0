package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/host/web"
	"parley.dev/parley/internal/regular"
)

// hostLink returns the command that prints a link by which a browser signs in.
func hostLink() *cobra.Command {
	var url, role string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "link", Short: "Print a link by which a browser signs in: it works once, within a minute", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if url != "" {
				if _, err := web.ParseOrigin(url); err != nil {
					return fmt.Errorf("--url: %w", err)
				}
			}
			link, err := newLink(cmd.Context(), url, role)
			if err != nil {
				return cli.Failed(err)
			}
			if asJSON {
				line, err := json.Marshal(struct {
					Web string `json:"web"`
				}{link})
				if err != nil {
					return cli.Failed(err)
				}
				link = string(line)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), link)
			return cli.Failed(err)
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "address at which the browser finds the host (default: the first of --listen)")
	cmd.Flags().StringVar(&role, "role", "owner", "what the browser may do: viewer, reviewer, driver or owner")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	cli.SetChoices(cmd.Flags(), "role", "viewer", "reviewer", "driver", "owner")
	return cmd
}

// newLink asks the running host for a link.
func newLink(ctx context.Context, url, role string) (string, error) {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return "", err
	}
	token, err := readLine(tokenPath(settings.Home))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no host with --listen runs for the state folder %s", settings.Home)
	}
	if err != nil {
		return "", err
	}
	if url == "" {
		if url, err = readLine(urlPath(settings.Home)); err != nil {
			return "", err
		}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return web.RequestLink(ctx, url, token, role)
}

// tokenPath returns where the token of the owner is while a host with --listen runs, and urlPath where its addresses are,
// one a line.
func tokenPath(home string) string { return filepath.Join(home, "run", "token") }
func urlPath(home string) string   { return filepath.Join(home, "run", "urls") }

// readLine returns the first line of a file.
func readLine(path string) (string, error) {
	data, err := regular.ReadFile(path, 64<<10)
	line, _, _ := strings.Cut(string(data), "\n")
	return line, err
}
