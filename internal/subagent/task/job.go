package task

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/subagent/definition"
	"parley.dev/parley/internal/subagent/verify"
	"parley.dev/parley/internal/subagent/worktree"
	"parley.dev/parley/internal/tool"
)

// A job is a task that a subagent works on.
type job struct {
	*run
	result event.TaskResult
	tree   *worktree.Tree // nil: it works in the project itself
	delta  worktree.Delta
	began  bool // SubagentStarted is recorded

	before  <-chan struct{} // closed when the task before has begun, or never will; nil: there is none
	settled func()          // closes that of the task after

	misfits atomic.Int32    // results that were not taken
	known   tool.KnownFiles // of all that work at the task
}

// maxMisfits is how often a subagent may hand in what does not fit its shape and try again.
const maxMisfits = 3

// handIn takes the result of a subagent, unless it may be better the next time.
func (j *job) handIn(input jsontext.Value) error {
	s, err := readSubmission(input)
	if err != nil || s.Data == nil {
		return err
	}
	misfit := j.shape.misfit(s.Data)
	if misfit == nil || j.misfits.Add(1) > maxMisfits {
		return nil
	}
	return fmt.Errorf("the data does not fit what was asked for: %w. Hand it in again as it has to be, or an error", misfit)
}

// closeLimit is how long an interrupted task may take to put its changes aside.
const closeLimit = 5 * time.Second

// do does the whole task: copy, subagent, verification, changes.
func (j *job) do(ctx context.Context) {
	start := time.Now()
	defer func() {
		j.result.Ran = event.Duration(time.Since(start))
		j.end()
		j.settled()
	}()
	if ctx.Err() != nil {
		j.abort("The task was interrupted before it began.")
		return
	}
	if j.isolated() {
		tree, err := j.Trees.Isolate(ctx, j.env.Workspace.Dir(), j.result.ID)
		if err != nil {
			j.fail("The task could not be isolated: " + err.Error())
			return
		}
		j.tree = tree
		defer j.leave()
	}
	j.take(j.hooks.Subagents.Run(ctx, j.work(j.result.Text, "")))
	j.verify(ctx)
	j.capture(ctx)
}

func (j *job) fail(text string) {
	j.result.ExitCode, j.result.Error = 1, text
}

func (j *job) abort(text string) {
	j.fail(text)
	j.result.Aborted = true
}

// end reports the end of a subagent that began, and that of its task on the board.
func (j *job) end() {
	status := event.TaskCompleted
	switch {
	case j.result.Aborted:
		status = event.TaskAborted
	case j.result.ExitCode != 0:
		status = event.TaskFailed
	}
	j.keepOutput()
	j.board.end(j.result.Index, status, time.Duration(j.result.Ran), func() {
		if !j.began {
			return
		}
		j.hooks.Subagents.Record(event.SubagentEnded{
			Call: j.hooks.Subagents.Call(), Task: j.result.ID, Agent: j.result.Agent, ExitCode: j.result.ExitCode,
			Usage: j.result.Usage, Cost: j.result.Cost, Verification: j.result.Verification,
		})
	})
}

// leave removes the copy.
func (j *job) leave() {
	if err := j.tree.Close(); err != nil && j.result.Error == "" {
		j.result.Error = err.Error()
	}
}

func (j *job) dir() string {
	if j.tree != nil {
		return j.tree.Dir()
	}
	return j.env.Workspace.Dir()
}

// work returns the task of a subagent; suffix makes another one of the same task.
func (j *job) work(prompt, suffix string) tool.SubagentTask {
	a := j.agent
	w := tool.SubagentTask{
		Task: j.result.ID, Agent: a.Name, Name: j.result.ID + suffix, Prompt: prompt, Dir: j.dir(), Instructions: j.instructions(),
		Tools: a.Tools, Backend: a.Backend, Models: a.Models, Thinking: thinking(a), SubmitTool: submitName, Submit: j.handIn, Tasks: j.inner(), Known: &j.known, Watch: func(rec event.Record) { j.board.see(j.result.Index, rec) },
	}
	if j.wanted() != nil {
		w.Reminder = "You have ended without handing in your result. Call " + submitName + " now, with the data that was asked for, or with an error."
	}
	if a.Backend != "" {
		w.SubmitTool = ""
		if w.Reminder != "" {
			w.Extract, w.Reminder = extract, howToSubmit
		}
	}
	w.Began = func(session event.SessionID, name string, record func(event.Event) error) error {
		if j.began {
			return nil // it goes on with the task
		}
		if j.before != nil {
			<-j.before // so that a limit refuses the last tasks
		}
		defer j.settled()
		err := j.board.begin(j.result.Index, func() error {
			return record(event.SubagentStarted{
				Call: j.hooks.Subagents.Call(), Task: j.result.ID, Agent: a.Name, Isolated: j.tree != nil, Session: session,
			})
		})
		if err != nil {
			return err
		}
		j.began, j.result.Session = true, session
		if len(a.Models) > 0 {
			j.result.Model = name
		}
		return nil
	}
	return w
}

func thinking(a definition.Definition) model.Thinking {
	level := model.Thinking(strings.ToLower(a.Thinking))
	if !slices.Contains([]model.Thinking{model.Off, model.Minimal, model.Low, model.Medium, model.High, model.XHigh}, level) {
		return ""
	}
	return level
}

// inner returns the subagents that the task's own may have.
func (j *job) inner() *tool.TaskSettings {
	if len(j.agent.Spawns) == 0 || j.env.Tasks.Depth < 2 {
		return nil
	}
	inner := *j.env.Tasks
	inner.Depth--
	inner.Spawns, inner.Folder = j.agent.Spawns, nil
	return &inner
}

func (j *job) instructions() string {
	var b strings.Builder
	b.WriteString(j.agent.Prompt)
	if j.agent.Backend != "" {
		b.WriteString("\n\nYou are a subagent: nothing but your last message is read. It has to contain everything that is needed.")
		if j.wanted() != nil {
			b.WriteString(" " + howToSubmit)
		}
	} else {
		fmt.Fprintf(&b, "\n\nYou are a subagent: whoever gave you the task reads nothing but your result. When you are done, call %s once, with all that they need.", submitName)
	}
	if schema := j.wanted(); schema != nil {
		fmt.Fprintf(&b, " The data has to fit this definition (JSON Type Definition):\n\n%s", schema)
	}
	if j.tree != nil {
		b.WriteString("\n\nYou work in a copy of the project that is yours alone. What you change in it is brought back when you are done: commit nothing, and leave nothing that does not belong to the project.")
	}
	return b.String()
}

// take stores the result of a subagent.
func (j *job) take(w tool.SubagentResult) {
	j.result.Usage, j.result.Cost = j.result.Usage.Add(w.Usage), j.result.Cost+w.Cost
	j.result.Output, j.result.ExitCode, j.result.Error = w.Output, 0, ""
	var handed submission
	if w.Submitted != nil {
		handed, _ = readSubmission(w.Submitted) // it was read before
	}
	switch {
	case w.Reason == event.TurnInterrupted:
		j.abort(w.Error)
	case w.Reason == event.TurnBudget:
		j.abort(w.Error)
		j.result.Budget = true
	case w.Reason != event.TurnCompleted:
		j.fail(cmp.Or(w.Error, "The subagent failed."))
	case handed.Error != "":
		j.fail(handed.Error)
	case handed.Data != nil:
		j.result.Output = handed.text()
		if misfit := j.shape.misfit(handed.Data); misfit != nil {
			j.fail("The result does not fit what was asked for: " + misfit.Error())
		}
	case j.wanted() != nil:
		j.fail("The subagent ended without handing in a result.")
	}
}

// capture puts the changes aside. Those of a task that was interrupted are kept as well.
func (j *job) capture(ctx context.Context) {
	if j.tree == nil || j.discards() {
		return
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
	}
	delta, err := j.tree.Capture(ctx)
	if err != nil {
		j.fail(cmp.Or(j.result.Error, err.Error()))
		return
	}
	j.delta = delta
	for _, p := range delta.Patches {
		if p.Repository == "" {
			j.result.PatchPath = j.keep(j.result.ID+".patch", p.Text)
			continue
		}
		name := j.result.ID + "." + plainID(p.Repository) + ".patch"
		j.result.Nested = append(j.result.Nested, event.NestedPatch{Repository: p.Repository, Path: j.keep(name, p.Text)})
	}
	if len(delta.Left) > 0 {
		j.result.Output += "\n\nNew repositories, which no patch can hold, were left out: " + strings.Join(delta.Left, ", ")
	}
}

// discards reports whether the changes failed, and are not wanted then.
func (j *job) discards() bool {
	v := j.result.Verification
	return v != nil && v.Status == event.VerificationFailed && v.OnFailure == string(verify.DiscardPatch)
}

// maxOutput is how much of a subagent's output goes into the result, in bytes.
const maxOutput = 24 << 10

// keepOutput keeps all of the output in a file, and the first part of it in the result.
func (j *job) keepOutput() {
	text := strings.ToValidUTF8(j.result.Output, "\uFFFD")
	if text == "" {
		return
	}
	j.result.OutputLines, j.result.OutputChars = 1+strings.Count(text, "\n"), utf8.RuneCountInString(text)
	j.result.OutputPath = j.keep(j.result.ID+".md", []byte(text))
	if len(text) > maxOutput {
		text, j.result.Truncated = strings.ToValidUTF8(text[:maxOutput], ""), true
	}
	j.result.Output = text
}

// verify checks work that ended well, and has it repaired once where the plan says so.
func (j *job) verify(ctx context.Context) {
	if j.plan == nil {
		return
	}
	v := &event.Verification{
		Requested: true, Profile: j.plan.Profile, OnFailure: string(j.plan.OnFailure), Attempts: []event.VerificationAttempt{}, Status: event.VerificationSkipped,
	}
	j.result.Verification = v
	if j.result.ExitCode != 0 {
		return
	}
	a := j.attempt(ctx, 1)
	if a.Status != event.VerificationPassed && j.plan.OnFailure == verify.RetryOnce && j.plan.Retries > 0 && ctx.Err() == nil {
		v.Retries = 1
		first := j.result.Output
		j.take(j.hooks.Subagents.Run(ctx, j.work(j.repair(a), "-repair")))
		j.result.Output = first + "\n\nRepaired after a failed verification:\n" + j.result.Output
		if j.result.ExitCode == 0 {
			a = j.attempt(ctx, 2)
		}
	}
	v.Status = a.Status
	switch {
	case a.Status == event.VerificationPassed && v.Retries > 0:
		v.Status = event.VerificationRetriedPassed
	case a.Status == event.VerificationFailed && j.result.ExitCode == 0:
		j.fail("Verification failed: " + strings.Join(verify.Failed(a), ", "))
		j.result.Aborted = ctx.Err() != nil
	}
}

// attempt runs all commands once.
func (j *job) attempt(ctx context.Context, number int) event.VerificationAttempt {
	call, id, record := j.hooks.Subagents.Call(), j.result.ID, j.hooks.Subagents.Record
	record(event.VerificationStarted{Call: call, Task: id, Attempt: number, Profile: j.plan.Profile})
	confine, err := j.env.PolicyIn(j.tree.Dir(), j.hooks.Sandbox)
	var a event.VerificationAttempt
	if err != nil {
		now := time.Now().UnixMilli()
		a = event.VerificationAttempt{
			Attempt: number, Status: event.VerificationFailed, Started: now, Ended: now, Commands: []event.VerificationCommand{}, Error: err.Error(),
		}
	} else {
		r := verify.Runner{
			Spawner: j.env.Spawner, Environ: j.env.Caches.Add(j.env.Environ, confine), Confine: confine, Dir: j.tree.Dir(), Logs: j.hooks.Subagents.Folder(), Log: id + ".verify",
			Began: func(name string) {
				record(event.VerificationCommandStarted{Call: call, Task: id, Attempt: number, Name: name})
			},
			Ended: func(c event.VerificationCommand) {
				record(event.VerificationCommandEnded{Call: call, Task: id, Attempt: number, Result: c})
			},
		}
		a = r.Attempt(ctx, number, j.plan.Commands)
	}
	record(event.VerificationEnded{Call: call, Task: id, Attempt: number, Status: a.Status})
	j.result.Verification.Attempts = append(j.result.Verification.Attempts, a)
	return a
}

// repair returns the prompt to a subagent about the commands that failed.
func (j *job) repair(a event.VerificationAttempt) string {
	var b strings.Builder
	b.WriteString("This task was done in the folder that you are in, by somebody before you:\n\n" + j.result.Text + "\n\nThe work failed its verification. Find out why and repair it; do not weaken the checks.\n")
	for _, c := range a.Commands {
		if c.ExitCode == 0 || c.Optional {
			continue
		}
		fmt.Fprintf(&b, "\n%s: `%s` ended with %d", c.Name, c.Command, c.ExitCode)
		if c.TimedOut {
			b.WriteString(", since it took too long")
		}
		b.WriteString(". The end of its output:\n\n" + lastLines(output(c), cmp.Or(j.env.Tasks.Verify.ContextLines, contextLines)) + "\n")
	}
	return b.String()
}

// contextLines is how many lines of a failed command's output a repair gets.
const contextLines = 200

// output returns what a command wrote, from its log if there is one.
func output(c event.VerificationCommand) string {
	const most = 64 << 10
	file, err := regular.Open(c.Artifact)
	if err != nil {
		return c.Preview
	}
	defer file.Close()
	if _, err := file.Seek(-most, io.SeekEnd); err != nil { // it is shorter
		_, err = file.Seek(0, io.SeekStart)
		if err != nil {
			return c.Preview
		}
	}
	data, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return c.Preview
	}
	return strings.ToValidUTF8(string(data), "\uFFFD")
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
