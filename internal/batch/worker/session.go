package worker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// closeLimit is how long an interrupted session may take to end.
const closeLimit = 30 * time.Second

// runSession runs the prompt of a task in a session of its own, and returns the status of the turn: Done if it ended well.
func (w *worker) runSession(ctx context.Context, a *batch.Attempt, place *site) batch.Outcome {
	s, err := w.Host.Create(ctx, engine.NewSession{ID: event.SessionID(a.Session()), Workspace: place.dir, Settings: settings(a.Task)}, w.options(a))
	if err != nil {
		return w.failed(ctx, fmt.Errorf("create the session: %w", err))
	}
	o, err := runTurn(ctx, s, a.Task.Prompt)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	if cerr := s.Close(closing); err == nil && cerr != nil {
		err = fmt.Errorf("close the session: %w", cerr)
	}
	if err != nil {
		return w.failed(ctx, err)
	}
	if ctx.Err() != nil && o.Status != batch.Done {
		ended := interrupted(ctx)
		o.Status, o.Cause, o.Message = ended.Status, "", ended.Message
	}
	return o
}

// failed returns the outcome of a session that did not work.
func (w *worker) failed(ctx context.Context, err error) batch.Outcome {
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx)
	case errors.Is(err, engine.ErrBudget):
		return batch.Outcome{Status: batch.NoBudget, Message: err.Error()}
	}
	return batch.Outcome{Status: batch.Failed, Cause: batch.CauseSetup, Message: err.Error()}
}

// settings returns the settings of the session of a task.
func settings(t batch.Task) event.Settings {
	return event.Settings{
		Name: t.ID, Model: t.Model, Backend: t.Backend, Asking: approval.AskNever, Sandbox: sandboxOf(t), Instructions: t.Instructions,
		Mode: string(approval.WorkspaceWrite),
	}
}

func sandboxOf(t batch.Task) approval.Sandbox {
	return approval.Sandbox{Kind: approval.SandboxKind(t.Sandbox), Network: t.Network}
}

// variables are in the environment of everything that runs for an attempt.
func variables(a *batch.Attempt) map[string]string {
	return map[string]string{"PARLEY_BATCH": a.Batch, "PARLEY_TASK": a.Task.ID, "PARLEY_ATTEMPT": strconv.Itoa(a.Number)}
}

// options returns the options of the session of a task: no approval is requested, and what the sandbox refuses fails.
func (w *worker) options(a *batch.Attempt) engine.Options {
	o := engine.Defaults()
	o.Profile, o.Toolset, o.Variables = engine.BatchProfile, w.Toolset, variables(a)
	o.Approvals, o.Calls, o.NoQuestions = engine.ApproveBySandbox{}, engine.ParallelReads, true
	plan := w.Host.BudgetPlan()
	plan.Limits = a.Task.Budget.Limits().Tighter(plan.Limits)
	o.Budget = engine.NewBudget(plan)
	return o
}

// runTurn sends the prompt and follows the turn to its end. At the end of ctx the turn is interrupted.
func runTurn(ctx context.Context, s *engine.Session, prompt string) (batch.Outcome, error) {
	client := s.Join(engine.ClientInfo{})
	defer client.Leave()
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	records := s.Log().Follow(following, s.State().Head+1)
	if _, err := client.Prompt(following, engine.Prompt{Text: prompt}); err != nil {
		return batch.Outcome{}, err
	}
	defer context.AfterFunc(ctx, client.Interrupt)()
	var o batch.Outcome
	for rec, err := range records {
		if err != nil {
			return o, err
		}
		switch e := rec.Event.(type) {
		case event.AssistantMessage:
			if text := strings.TrimSpace(model.Message{Blocks: e.Blocks}.Text()); text != "" && !e.Void {
				o.Answer = text
			}
		case event.SubagentStarted:
			o.Subagents++
		case event.TurnEnded:
			o.ToolCalls = s.State().Calls
			return turnEnded(o, e), nil
		}
	}
	return o, errors.New("the session ended before the turn did")
}

// turnEnded returns the outcome of a turn.
func turnEnded(o batch.Outcome, e event.TurnEnded) batch.Outcome {
	o.Usage = batch.Usage{Input: e.Usage.Context(), Output: e.Usage.Output}
	o.CostUSD, o.Steps = e.Cost, e.Steps
	o.Status, o.Message = batch.Failed, "the turn ended before the task was done: "+string(e.Reason)
	if e.Failure != nil {
		o.Message = e.Failure.Message
	}
	switch e.Reason {
	case event.TurnCompleted:
		o.Status, o.Message = batch.Done, ""
	case event.TurnBudget:
		o.Status = batch.NoBudget
	case event.TurnRefused:
		o.Cause, o.Message = batch.CauseRefused, "the provider's safety system refused the answer"
	default:
		o.Cause = causeOf(e)
	}
	return o
}

// causeOf returns why a turn failed.
func causeOf(e event.TurnEnded) batch.Cause {
	switch {
	case e.Failure == nil:
		return batch.CauseTurn
	case e.Failure.Temporary(), e.Failure.Kind == string(model.Quota):
		return batch.CauseProvider
	case e.Failure.Kind == string(model.NotConfigured), e.Failure.Kind == string(model.Auth):
		return batch.CauseSetup // of this worker: another one may have the key
	case e.Failure.Kind == engine.FailUnsaved:
		return batch.CauseSetup // the disk of this worker; there may be room later
	}
	return batch.CauseTurn
}
