package demo

import (
	"bufio"
	"embed"
	"errors"
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
	"parley.dev/parley/internal/provider"
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
			client, ok := demoClients[dialect]
			if !ok {
				return fmt.Errorf("--dialect %q is none of %s", dialect, cli.Enumerate(cli.Dialects, "and"))
			}
			return cli.Failed(demo(cmd.OutOrStdout(), client))
		},
	}
	cmd.Flags().StringVar(&dialect, "dialect", cli.Dialects[0], cli.Enumerate(cli.Dialects, "or"))
	cli.SetChoices(cmd.Flags(), "dialect", cli.Dialects...)
	return cmd
}

func demo(out io.Writer, client demoClient) error {
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
	if err := client.play(out, workspace, filepath.Join(dir, "state")); err != nil {
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

// play starts the server, and returns after the turn and its end: a process, two pipes, JSON lines.
func (c demoClient) play(out io.Writer, workspace, state string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "$ parley %s\n", strings.Join(c.args, " "))
	server := exec.Command(self, c.args...)
	server.Dir = workspace
	server.Env = append(os.Environ(), "PARLEY_HOME="+state, "PARLEY_MODEL="+provider.DemoModel)
	server.Stderr = os.Stderr
	stdin, err := server.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	err = c.converse(out, workspace, stdin, bufio.NewReader(stdout))
	err = errors.Join(err, stdin.Close()) // the end of input ends the server
	_, copied := io.Copy(io.Discard, stdout)
	return errors.Join(err, copied, server.Wait())
}

// converse sends the prompt, allows every call, and returns when the turn has ended.
func (c demoClient) converse(out io.Writer, workspace string, to io.Writer, from *bufio.Reader) error {
	send := func(lines []string) error {
		for _, line := range lines {
			fmt.Fprintf(out, "> %s\n", line)
			if _, err := io.WriteString(to, line+"\n"); err != nil {
				return err
			}
		}
		return nil
	}
	if err := send(c.first(workspace)); err != nil {
		return err
	}
	for {
		text, err := from.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the server ended before the turn did: %w", err)
		}
		fmt.Fprintf(out, "< %s", text)
		line, err := readDemoLine([]byte(text))
		if err != nil {
			return err
		}
		lines, ended, err := c.answer(line)
		if err == nil {
			err = send(lines)
		}
		if ended || err != nil {
			return err
		}
	}
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
