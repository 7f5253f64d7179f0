package backend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// The command that the model of each agent calls, and what it says before and after it.
const (
	agentCommand = "echo made > made.txt; cat made.txt"
	agentBefore  = "I run it."
	agentAfter   = "It is made."
)

// realAgents are agents as npm has them. Program skips the test if npm has none for this system; start configures the agent.
var realAgents = []struct {
	backend string
	program func(t *testing.T) string
	start   func(t *testing.T) *bench
}{
	{"codex", codexProgram, func(t *testing.T) *bench {
		input := fmt.Sprintf(`{"cmd":%q,"yield_time_ms":30000}`, agentCommand)
		b, _ := newCodex(t, modeltest.Stream(modeltest.Text(agentBefore), modeltest.Call("c1", "exec_command", input), used), says(agentAfter))
		return b
	}},
	{"pi", piProgram, func(t *testing.T) *bench {
		b, _ := newPi(t, piRuns(agentBefore, "c1", agentCommand), piSays(agentAfter))
		return b
	}},
	{"acp:opencode", openCodeProgram, func(t *testing.T) *bench {
		input := fmt.Sprintf(`{"command":%q,"description":"Make it"}`, agentCommand)
		return openCode(t, modeltest.Stream(modeltest.Text(agentBefore), modeltest.Call("call_1", "bash", input), used), says(agentAfter))
	}},
}

// A journey is what a client has seen of one prompt.
type journey struct {
	text      string   // of the answers
	approvals []string // commands for which an approval was requested
	output    string   // of the command
	end       string   // of the turn
	code      int      // of the program
}

// clients are protocols with a client of each, which prompts once and approves.
var clients = []struct {
	name string
	end  string // of a turn that completed
	run  func(t *testing.T, b *bench, backend string) journey
}{
	{"flint", "completed", runFlint},
	{"scaiflux", "end_turn", runScaiFlux},
	{"acp", "end_turn", runACP},
}

// TestClients: each client has an agent run a command that the client approves, reads its answer, and leaves no process.
func TestClients(t *testing.T) {
	t.Parallel()
	for _, agent := range realAgents {
		t.Run(agent.backend, func(t *testing.T) {
			agent.program(t)
			for _, c := range clients {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					b := agent.start(t)
					mark := stage.NewMark(b.Place)
					begun := time.Now()
					got := c.run(t, b, agent.backend)
					t.Logf("it took %v", time.Since(begun).Round(time.Millisecond))
					if got.text != agentBefore+agentAfter {
						t.Errorf("the answers are %q", got.text)
					}
					if len(got.approvals) != 1 || !strings.Contains(got.approvals[0], agentCommand) {
						t.Errorf("approvals were requested for %q", got.approvals)
					}
					if strings.TrimSpace(got.output) != "made" {
						t.Errorf("the output is %q", got.output)
					}
					if got.end != c.end || got.code != 0 {
						t.Errorf("the turn ends as %q, the program with %d", got.end, got.code)
					}
					if text, err := os.ReadFile(filepath.Join(b.Work, "made.txt")); err != nil || string(text) != "made\n" {
						t.Errorf("the file has %q, %v", text, err)
					}
					mark.WantEnded(t, nil)
				})
			}
		})
	}
}

// limit returns how long one thing may take in the test.
func (b *bench) limit() time.Duration {
	deadline, _ := b.ctx.Deadline()
	return time.Until(deadline)
}

func runFlint(t *testing.T, b *bench, backend string) (got journey) {
	f := client.StartFlint(t, b.Place, "--backend", backend)
	f.Limit = b.limit()
	f.Begin(f.StartThread(fmt.Sprintf(`{"cwd":%q}`, b.Work)))
	all := f.Finish()
	for _, line := range all {
		if line.Method == "item/commandExecution/requestApproval" {
			got.approvals = append(got.approvals, line.Raw)
		}
	}
	turn := all[len(all)-1].Params.Turn
	for _, item := range f.Items(turn) {
		switch item.Type {
		case "agentMessage":
			got.text += item.Text
		case "commandExecution":
			got.output += item.Output
		}
	}
	got.end = turn.Status
	f.Stdin.Close()
	_, got.code = f.Rest()
	return got
}

func runScaiFlux(t *testing.T, b *bench, backend string) (got journey) {
	s := client.StartScaiFlux(t, b.Place, "--workspace", b.Work, "--permission-mode", "prompt", "--backend", backend)
	s.Limit = b.limit()
	s.Prompt("Make it.")
	all := s.Turn()
	for _, m := range all.Of("permission_request") {
		got.approvals = append(got.approvals, m.Raw)
	}
	for _, m := range all.Of("tool_result") {
		got.output += m.Output
	}
	got.text, got.end = all.Text(), all.Last().StopReason
	got.code = s.Exit()
	return got
}

// runACP runs the client of the official SDK.
func runACP(t *testing.T, b *bench, backend string) (got journey) {
	packages := stage.NodePackages(t, "../acp/sdk")
	folder := t.TempDir()
	stage.CopyTree(t, "clients/acp.mjs", filepath.Join(folder, "acp.mjs"))
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	agent := b.Command(t, "acp", "--backend", backend)
	cmd := exec.CommandContext(b.ctx, "node", slices.Concat([]string{filepath.Join(folder, "acp.mjs"), b.Work, "Make it."}, agent.Args)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = b.Work, agent.Env, time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &stderr)
	}
	for line := range strings.Lines(string(out)) {
		got.read(t, []byte(line))
	}
	return got
}

// read adds a line that the client of the official SDK has printed.
func (j *journey) read(t *testing.T, line []byte) {
	t.Helper()
	var got struct {
		Update     client.ACPUpdate `json:"update"`
		Permission *struct {
			RawInput struct {
				Command string `json:"command"`
			} `json:"rawInput"`
		} `json:"permission"`
		StopReason string `json:"stopReason"`
		Code       int    `json:"code"`
	}
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	switch {
	case got.Update.Kind == "agent_message_chunk" && strings.HasPrefix(got.Update.Text(), "**"): // a notice, whose code is bold
	case got.Update.Kind == "agent_message_chunk":
		j.text += got.Update.Text()
	case got.Update.Status == "completed":
		j.output += got.Update.RawOutput.Text
	case got.Permission != nil:
		j.approvals = append(j.approvals, got.Permission.RawInput.Command)
	case got.StopReason != "":
		j.end, j.code = got.StopReason, got.Code
	}
}
