package main

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

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"znkr.io/diff/textdiff"
)

// The sample project has one bug and one failing test. Its files carry .txt behind their
// names, or the go command would take them for a part of this program.
//
//go:embed sample
var sample embed.FS

func demoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Play a controller against the real ScaiFlux server, on the offline model", Args: cobra.NoArgs,
		Long: `Copy a small project with a failing test to a scratch folder, start "parley scaiflux
serve" there as a subprocess on the offline demo model, ask it to mend the test, allow what
it asks for, and show the wire, the diff and the passing test. No network, no key.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return failed(demo(cmd.OutOrStdout())) },
	}
}

func demo(out io.Writer) error {
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
	if err := playController(out, workspace, filepath.Join(dir, "state")); err != nil {
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

// playController is all that a client of the protocol needs: a process, two pipes, JSON lines.
func playController(out io.Writer, workspace, state string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "$ parley scaiflux serve --workspace calc --permission-mode workspace-write\n")
	server := exec.Command(self, "scaiflux", "serve", "--workspace", workspace, "--permission-mode", "workspace-write")
	server.Env = append(os.Environ(), "PARLEY_HOME="+state, "PARLEY_MODEL="+demoModel)
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
	err = converse(out, stdin, bufio.NewReader(stdout))
	return errors.Join(err, stdin.Close(), server.Wait())
}

// converse sends the prompt, allows every call, and returns after turn_complete.
func converse(out io.Writer, to io.Writer, from *bufio.Reader) error {
	send := func(line string) error {
		fmt.Fprintf(out, "> %s\n", line)
		_, err := io.WriteString(to, line+"\n")
		return err
	}
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the server ended before the turn did: %w", err)
		}
		fmt.Fprintf(out, "< %s", line)
		var e struct {
			Type       string `json:"type"`
			RequestID  string `json:"request_id"`
			StopReason string `json:"stop_reason"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return err
		}
		switch e.Type {
		case "ready":
			err = send(`{"type":"prompt","text":"fix the failing test"}`)
		case "permission_request":
			err = send(fmt.Sprintf(`{"type":"permission_response","request_id":%q,"decision":"allow"}`, e.RequestID))
		case "turn_complete":
			if e.StopReason != "end_turn" {
				return fmt.Errorf("the turn ended as %s", e.StopReason)
			}
			return send(`{"type":"shutdown"}`)
		}
		if err != nil {
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
