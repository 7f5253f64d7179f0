package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/client"
)

// taskPlace returns a repository with settings that verify isolated tasks, and a script for the model.
func taskPlace(t *testing.T, script string) *place {
	t.Helper()
	p := newPlace(t)
	p.Write(t, "a.txt", "a\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "First"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = p.Work
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %s", args, out)
		}
	}
	p.Write(t, "user.txt", "not committed\n")
	settings := `{"task": {"isolation": {"mode": "worktree"}, "verification": {"defaultProfile": "ci", "profiles": {"ci": {
		"mode": "command", "onFailure": "retry_once", "commands": [{"name": "tests", "command": "cat b.txt user.txt && grep -q good b.txt"}]
	}}}}}`
	if err := os.Mkdir(filepath.Join(p.Work, ".pisces"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.Write(t, ".pisces/settings.json", settings)
	p.Plays(t, script)
	return p
}

// A taskLine is what tests read of the events of subagents, and of the call that has them.
type taskLine struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	Agent       string `json:"agent"`
	Attempt     int    `json:"attempt"`
	CommandName string `json:"commandName"`
	ExitCode    int    `json:"exitCode"`
	Status      string `json:"status"`
	ArtifactID  string `json:"artifactId"`
	ToolName    string `json:"toolName"`
	Result      struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Details struct {
			Results []struct {
				ID           string `json:"id"`
				ExitCode     int    `json:"exitCode"`
				Aborted      bool   `json:"aborted"`
				PatchPath    string `json:"patchPath"`
				OutputPath   string `json:"outputPath"`
				Verification *struct {
					Status      string `json:"status"`
					RetriesUsed int    `json:"retriesUsed"`
				} `json:"verification"`
			} `json:"results"`
			Usage struct {
				TotalTokens int `json:"totalTokens"`
			} `json:"usage"`
		} `json:"details"`
	} `json:"result"`
	PartialResult struct {
		Details struct {
			Progress []struct {
				Status string `json:"status"`
			} `json:"progress"`
		} `json:"details"`
	} `json:"partialResult"`
}

// tasks reads to the end of a run. It returns the events of subagents in order, the progress that
// was shown, and the end of the call.
func tasks(s *client.Pisces) (events, progress []string, end taskLine) {
	s.T.Helper()
	for {
		l := s.Must()
		var line taskLine
		if strings.HasPrefix(l.Type, "subagent_") || strings.HasPrefix(l.Type, "tool_execution_") {
			if err := json.Unmarshal([]byte(l.Raw), &line); err != nil {
				s.T.Fatalf("%v: %s", err, l.Raw)
			}
		}
		switch l.Type {
		case "agent_end":
			return events, progress, end
		case "subagent_start":
			events = append(events, "start "+line.ID+" "+line.Agent)
		case "subagent_end":
			events = append(events, fmt.Sprintf("end %s %d", line.ID, line.ExitCode))
		case "subagent_verification_start":
			events = append(events, fmt.Sprintf("verify %d", line.Attempt))
		case "subagent_verification_command_start":
			events = append(events, "run "+line.CommandName)
		case "subagent_verification_command_end":
			if _, err := os.Stat(line.ArtifactID); err != nil {
				s.T.Errorf("the log: %v", err)
			}
			events = append(events, fmt.Sprintf("ran %s %d", line.CommandName, line.ExitCode))
		case "subagent_verification_end":
			events = append(events, fmt.Sprintf("verified %d %s", line.Attempt, line.Status))
		case "tool_execution_update":
			if d := line.PartialResult.Details.Progress; line.ToolName == "task" && len(d) > 0 {
				progress = append(progress, d[0].Status)
			}
		case "tool_execution_end":
			end = line
		}
	}
}

const (
	isolatedTask = `call task {"agent":"task","tasks":[{"id":"AddB","description":"Adds b","assignment":"Write b.txt."}],"isolated":true,"verify":true}` + "\nnext\n"
	handIn       = `call submit_result {"result":{"data":"did it"}}` + "\nnext\n"
)

// TestPiscesTask plays T18 and T19: an isolated task whose verification fails, is repaired,
// and comes back.
func TestPiscesTask(t *testing.T) {
	t.Parallel()
	p := taskPlace(t, isolatedTask+
		"call write {\"path\":\"b.txt\",\"content\":\"bad\\n\"}\nnext\n"+handIn+
		"call edit {\"path\":\"b.txt\",\"old_text\":\"bad\",\"new_text\":\"good\"}\nnext\n"+handIn+
		"expect Applied patches: yes\ntext Done.\n")
	s := p.pisces(t)
	s.Prompt("go")
	events, progress, end := tasks(s)
	want := []string{
		"start 0-AddB task", "verify 1", "run tests", "ran tests 1", "verified 1 failed",
		"verify 2", "run tests", "ran tests 0", "verified 2 passed", "end 0-AddB 0",
	}
	if !slices.Equal(events, want) {
		t.Errorf("events %q\nwant %q", events, want)
	}
	if len(progress) < 2 || progress[0] != "pending" || progress[len(progress)-1] != "completed" {
		t.Errorf("progress %q", progress)
	}
	details := end.Result.Details
	if len(details.Results) != 1 || details.Usage.TotalTokens == 0 {
		t.Fatalf("the call ended with %+v", end)
	}
	r := details.Results[0]
	if r.ID != "0-AddB" || r.ExitCode != 0 || r.Verification.Status != "retried_passed" || r.Verification.RetriesUsed != 1 {
		t.Errorf("the result is %+v", r)
	}
	folder := strings.TrimSuffix(s.State().SessionFile, ".jsonl")
	if filepath.Dir(r.PatchPath) != folder || filepath.Dir(r.OutputPath) != folder {
		t.Errorf("results lie in %s and %s, want %s", r.PatchPath, r.OutputPath, folder)
	}
	if data, err := os.ReadFile(filepath.Join(p.Work, "b.txt")); err != nil || string(data) != "good\n" {
		t.Errorf("b.txt has %q, %v", data, err)
	}
	var stats struct {
		Tokens struct {
			Total int `json:"total"`
		} `json:"tokens"`
	}
	s.Request("get_session_stats", nil, &stats)
	if stats.Tokens.Total <= details.Usage.TotalTokens {
		t.Errorf("the session used %d tokens, its subagents %d", stats.Tokens.Total, details.Usage.TotalTokens)
	}
	s.Leave()
	noCopies(t, p)
}

// noCopies checks that nothing of a copy is left.
func noCopies(t *testing.T, p *place) {
	t.Helper()
	left, _ := filepath.Glob(p.State() + ".trees/*-*")
	worktrees, _ := filepath.Glob(filepath.Join(p.Work, ".git/worktrees/*"))
	if len(left)+len(worktrees) > 0 {
		t.Errorf("left are %q and %q", left, worktrees)
	}
}

// TestPiscesTaskAborted: an abort reaches the command of a subagent; nothing comes back, and
// nothing is left.
func TestPiscesTaskAborted(t *testing.T) {
	t.Parallel()
	p := taskPlace(t, isolatedTask+`call bash {"command":"echo half >b.txt; sleep 600"}`+"\n")
	s := p.pisces(t)
	s.Prompt("go")
	for running := false; !running; {
		l := s.Until("tool_execution_update")
		running = strings.Contains(l.Raw, `"currentTool":"bash"`)
	}
	s.Send(map[string]any{"type": "abort", "id": "x"})
	events, _, end := tasks(s)
	if len(events) > 0 && events[len(events)-1] != "end 0-AddB 1" {
		t.Errorf("events %q", events)
	}
	if r := end.Result.Details.Results; len(r) != 1 || !r[0].Aborted || r[0].ExitCode != 1 {
		t.Errorf("the call ended with %+v", end)
	}
	if _, err := os.Stat(filepath.Join(p.Work, "b.txt")); err == nil {
		t.Error("half of the work came back")
	}
	s.Leave()
	noCopies(t, p)
}

// TestPiscesTaskKilled: the copy of a killed program is removed by the next one, and the
// session goes on.
func TestPiscesTaskKilled(t *testing.T) {
	t.Parallel()
	p := taskPlace(t, isolatedTask+`call bash {"command":"echo half >b.txt; sleep 600"}`+"\n")
	s := p.pisces(t)
	s.Prompt("go")
	for running := false; !running; {
		l := s.Until("tool_execution_update")
		running = strings.Contains(l.Raw, `"currentTool":"bash"`)
	}
	s.Kill()
	if left, _ := filepath.Glob(p.State() + ".trees/*-*"); len(left) != 1 {
		t.Fatalf("the killed program left %q", left)
	}
	again := p.pisces(t, "--continue")
	if n := len(again.Context()); n == 0 {
		t.Error("the session is gone")
	}
	again.Leave()
	noCopies(t, p)
}
