package pisces

import (
	"fmt"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/event"
)

// renderTask is subagents and what verifies their work. What they do themselves is in their
// own sessions; of that clients see the progress only.
func (v *view) renderTask(e event.Event) {
	switch e := e.(type) {
	case event.TasksProgressed:
		v.tasksProgressed(e)
	case event.SubagentStarted:
		v.emit(SubagentStart{ID: e.Task, Agent: e.Agent, Isolated: e.Isolated})
	case event.SubagentEnded:
		v.emit(SubagentEnd{ID: e.Task, Agent: e.Agent, ExitCode: e.ExitCode, Verification: message.VerificationOf(e.Verification)})
	case event.VerificationStarted:
		v.emit(SubagentVerificationStart{ID: e.Task, Attempt: e.Attempt, Profile: e.Profile})
	case event.VerificationCommandStarted:
		v.emit(SubagentVerificationCommandStart{ID: e.Task, Attempt: e.Attempt, CommandName: e.Name})
	case event.VerificationCommandEnded:
		v.emit(SubagentVerificationCommandEnd{
			ID: e.Task, Attempt: e.Attempt, CommandName: e.Result.Name, ExitCode: e.Result.ExitCode, DurationMS: message.Millis(e.Result.Ran), ArtifactID: e.Result.Artifact,
		})
	case event.VerificationEnded:
		v.emit(SubagentVerificationEnd{ID: e.Task, Attempt: e.Attempt, Status: message.VerificationStatus(e.Status)})
	}
}

func (v *view) tasksProgressed(e event.TasksProgressed) {
	c := v.calls[e.Call]
	if c == nil || !c.started {
		return
	}
	v.emit(ToolExecutionUpdate{
		ToolCallID: string(e.Call), ToolName: c.name, Args: c.args,
		PartialResult: message.Result{Content: []message.Content{message.NewText(fmt.Sprintf("Running %d agents...", len(e.Tasks)))}, Details: message.ProgressOf(e)},
	})
}
