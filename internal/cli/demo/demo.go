package demo

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"znkr.io/diff/textdiff"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
)

// The sample project has one bug and one failing test. Its files carry .txt after their
// names, or the go command would take them for a part of this program.
//
//go:embed sample
var sample embed.FS

// Command returns the command demo.
func Command() *cobra.Command {
	var dialect string
	cmd := &cobra.Command{
		Use: "demo", Short: "Run a client against a server with the offline model", Args: cli.ExactArgs(),
		Long: `Copy a small project with a failing test to a scratch folder, start the server of a dialect
there as a subprocess on the offline demo model, prompt it to fix the test, approve each
call, and show the messages, the diff and the passing test. No network and no key are needed.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, ok := newClient(dialect)
			if !ok {
				return fmt.Errorf("--dialect %q is none of %s", dialect, cli.Enumerate(names(), "and"))
			}
			return cli.Failed(demo(cmd.OutOrStdout(), client))
		},
	}
	cmd.Flags().StringVar(&dialect, "dialect", names()[0], cli.Enumerate(names(), "or"))
	cli.SetChoices(cmd.Flags(), "dialect", names()...)
	return cmd
}

func demo(out io.Writer, client *client) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	state, remove, err := cli.TemporaryFolder(settings)
	if err != nil {
		return err
	}
	defer remove()
	dir, err := os.MkdirTemp("", "parley-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	workspace := filepath.Join(dir, "calc")
	if err := copySample(workspace); err != nil {
		return err
	}
	fmt.Fprintf(out, "# A small project whose test fails: %s\n\n", workspace)
	if err := client.play(out, workspace, state); err != nil {
		return err
	}
	if err := showDiff(out, workspace); err != nil {
		return err
	}
	return showTest(out, workspace)
}

func copySample(to string) error {
	return fs.WalkDir(sample, "sample", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := sample.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, strings.TrimSuffix(d.Name(), ".txt")), data, 0o644)
	})
}

func showDiff(out io.Writer, workspace string) error {
	before, err := sample.ReadFile("sample/calc.go.txt")
	if err != nil {
		return err
	}
	after, err := os.ReadFile(filepath.Join(workspace, "calc.go"))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n# What it changed in calc.go\n\n%s", textdiff.Unified(string(before), string(after)))
	return nil
}

func showTest(out io.Writer, workspace string) error {
	fmt.Fprintf(out, "\n$ go test ./...\n")
	test := exec.Command("go", "test", "./...")
	test.Dir = workspace
	test.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	result, err := test.CombinedOutput()
	fmt.Fprintf(out, "%s", result)
	if err != nil {
		return fmt.Errorf("the test still fails: %w", err)
	}
	return nil
}
