//go:build linux

package faults

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/agent"
	"parley.dev/parley/e2e/stage"
)

// agentName is the back end of faces whose turns another agent runs.
const agentName = "acp:scripted"

// withAgent returns the face of a dialect whose turns are run by the scripted agent.
func withAgent(f face) *face {
	f.name += "+acp"
	f.agent = true
	f.args = append(slices.Clip(f.args), "--backend", agentName)
	f.again = append(slices.Clip(f.again), "--backend", agentName)
	return &f
}

// A scriptedAgent is what a cell knows of the agent that runs its turns.
type scriptedAgent struct {
	script string   // path
	gate   *os.File // the pipe that the agent waits for in the phase
}

// newAgent configures the agent. It reports requests by the pipe "events", as the servers of the roles do.
func (r *run) newAgent() *scriptedAgent {
	r.Helper()
	program, err := os.Executable()
	if err != nil {
		r.Fatal(err)
	}
	a := &scriptedAgent{script: filepath.Join(r.TempDir(), "script"), gate: r.pipe("gate")}
	script := fmt.Sprintf("on %s\nsay %s\n\non %s\n%s\n\non %s\nrun echo then >events\nsay %s\nrun echo then over >events\n",
		firstPrompt, firstAnswer, workPrompt, r.agentScript(), thenPrompt, thenAnswer)
	if err := os.WriteFile(a.script, []byte(script), 0o600); err != nil {
		r.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"backends": map[string]any{agentName: map[string]any{
		"command": []string{program}, "state": []string{filepath.Dir(a.script)}, "pass_env": []string{"PARLEY_STAGE_MARK"},
		"env": map[string]string{agent.ScriptVariable: a.script},
	}}})
	if err != nil {
		r.Fatal(err)
	}
	path := filepath.Join(r.place.Home, "config.jsonc")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		r.Fatal(err)
	}
	r.place.Env = append(r.place.Env, "PARLEY_CONFIG="+path)
	events := r.pipe("events")
	go func() {
		for lines := bufio.NewScanner(events); lines.Scan(); {
			name, over, _ := strings.Cut(lines.Text(), " ")
			role := map[string]*role{"work": r.work, "then": r.then}[name]
			if over == "" {
				role.arrived <- struct{}{}
			} else {
				role.finished <- struct{}{}
			}
		}
	}()
	return a
}

// pipe makes a named pipe in the workspace, which is open for both ends.
func (r *run) pipe(name string) *os.File {
	r.Helper()
	path := filepath.Join(r.place.Work, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		r.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { f.Close() })
	return f
}

// agentScript returns what the agent does for the prompt of the phase.
func (r *run) agentScript() string {
	lines := []string{"run echo work >events"}
	called := func(command string) {
		lines = append(lines, fmt.Sprintf(`call c1 execute {"command":%s}`, agent.Quote(command)), "ask c1", "run "+command, "end c1 done")
	}
	const opened = "run read go <gate"
	switch r.phase {
	case &waits:
		called("touch effect")
	case &runs:
		called(command)
	case &text_:
		lines = append(lines, "say "+r.phase.begins, opened, "say "+strings.TrimPrefix(r.phase.ends, r.phase.begins))
	default:
		lines = append(lines, opened)
	}
	for _, part := range r.pieces() {
		lines = append(lines, "say "+part)
	}
	return strings.Join(append(lines, "run echo work over >events"), "\n")
}

// openGate lets the model speak, or the agent that has its place.
func (r *run) openGate() {
	r.opening.Do(func() {
		close(r.gate)
		if r.agent != nil {
			write(r.agent.gate, strings.Repeat("go\n", 10)) // for each time that the prompt is played
		}
	})
}

// signalAgent sends a signal to the process of the agent.
func (r *run) signalAgent(sig syscall.Signal) {
	r.Helper()
	if err := syscall.Kill(r.agentProcess(), sig); err != nil {
		r.Fatal(err)
	}
}

// agentProcess returns the process of the agent.
func (r *run) agentProcess() (pid int) {
	r.Helper()
	program, err := os.Executable()
	if err != nil {
		r.Fatal(err)
	}
	for _, pid := range r.mark.Processes() {
		if exe, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe"); err != nil || exe != program {
			continue
		}
		return pid
	}
	r.Fatal("there is no process of the agent")
	return 0
}

// checkAgentAsked wants the agent to have received the last prompt once, in the session of the first.
func (r *run) checkAgentAsked() {
	r.Helper()
	data, err := os.ReadFile(r.agent.script + ".log")
	if err != nil {
		r.Fatal(err)
	}
	prompts, sessions := 0, 0
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, `"session/prompt"`) && strings.Contains(line, thenPrompt) {
			prompts++
		}
		if strings.Contains(line, `"session/new"`) {
			sessions++
		}
	}
	if prompts != 1 || sessions != 1 {
		r.Errorf("the agent has got the last prompt %d times, in %d sessions", prompts, sessions)
	}
}

// memoryOfAnswer bounds what a process may grow by for an answer of 8 MiB, of which it has several forms at a time.
const memoryOfAnswer = 256 << 20

var agentFaults = []fault{
	{group: "agent", name: "killed", does: func(r *run) {
		r.signalAgent(syscall.SIGKILL)
		r.agentFails()
	}},
	{group: "agent", name: "closes its output", does: func(r *run) {
		r.signalAgent(agent.CloseOutput)
		r.agentFails()
	}},
	{group: "agent", name: "hangs", does: func(r *run) { // also for an interrupt
		stage.Stop(r, r.agentProcess())
		if !r.phase.turn {
			r.prompt()
			r.taken()
		}
		r.send(r.client.interrupt())
		r.wantEnded(interrupted)
		r.goesOn()
	}},
	{group: "agent", name: "floods", deltas: 8 << 10, padding: 1 << 10, does: func(r *run) {
		before := r.proc.Size("status", "VmRSS")
		r.goOn()
		r.wantEnded(completed)
		if got := said(r.tap.heard(), r.begun); got != r.doneText() {
			r.Errorf("the turn says %d bytes, want %d, or others", len(got), len(r.doneText()))
		}
		grown := r.proc.Size("status", "VmHWM") - before
		if r.Logf("memory grew by %d MiB", grown>>20); grown > memoryOfAnswer {
			r.Errorf("that is too much")
		}
		r.goesOn()
	}},
}

// agentFails is the end of a turn whose agent is gone: it fails, once, and the next prompt starts another process. A prompt at the very
// moment in which the agent goes fails, or is worked on by another process.
func (r *run) agentFails() {
	r.Helper()
	if r.phase.turn {
		r.wantEnded(failed)
	} else {
		r.goOn()
		r.prompt()
		r.taken()
		r.await(ended)
	}
	r.goesOn()
}
