package codex

import (
	"context"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains turns.

func turnMethods() []handler {
	return []handler{
		on("turn/start", (*conn).turnStart, checkTurnStart),
		on("turn/steer", (*conn).turnSteer, func(p *TurnSteerParams) error { return checkInput(p.Input) }),
		on("turn/interrupt", (*conn).turnInterrupt),
	}
}

func checkTurnStart(p *TurnStartParams) error {
	if p.OutputSchema != nil && p.OutputSchema.Kind() != '{' {
		return invalid("outputSchema must be an object")
	}
	return checkInput(p.Input)
}

// turnStart begins a turn and answers at once (turn/start). In a busy thread the input goes into the running turn.
func (c *conn) turnStart(ctx context.Context, id jsonrpc.ID, p *TurnStartParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.Around(func() [][]byte {
		turn, err := c.begin(ctx, t, p)
		if err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		return [][]byte{resultLine(id, TurnStartResponse{Turn{
			ID: turn, RootTurnID: nullString(turn), Items: []ThreadItem{}, ItemsView: TurnItemsViewNotLoaded, Status: TurnStatusInProgress,
		}})}
	})
}

// begin starts the turn. If it cannot, nothing has changed.
func (c *conn) begin(ctx context.Context, t *thread, p *TurnStartParams) (string, error) {
	release, err := t.session.Lease()
	if err != nil {
		return "", err
	}
	defer release()
	o := overrides{
		model: p.Model, cwd: p.Cwd, policy: p.ApprovalPolicy, sandbox: p.SandboxPolicy, permissions: p.Permissions, effort: p.Effort,
		summary: p.Summary, personality: p.Personality, collaboration: p.CollaborationMode,
	}
	st := t.session.State()
	settings := st.Settings
	if err := c.apply(&settings, o); err != nil {
		return "", err
	}
	prompt, err := c.prompt(p.Input, p.ClientUserMessageID)
	if err != nil {
		return "", err
	}
	var before, after event.Settings
	err = t.client.Change(func(s *event.Settings) { // another client may have changed them meanwhile
		before = *s
		_ = c.apply(s, o) // it was tried
		after = *s
	})
	if err != nil {
		return "", err
	}
	prompt.Turn, prompt.Tuning = event.TurnID(c.cfg.NewID()), tuningOf(settings)
	if settings.Model == "" {
		prompt.Tuning.ModelName = c.defaultModel()
	}
	prompt.Tuning.Model.OutputSchema = p.OutputSchema
	accepted, err := t.client.Submit(ctx, prompt)
	if err != nil {
		_ = t.client.Change(engine.Revert(before, after)) // the first error says why
		return "", err
	}
	return string(accepted.Turn), nil
}

// prompt returns what a user says.
func (c *conn) prompt(inputs []UserInput, clientID string) (engine.Prompt, error) {
	blocks, err := blocksOf(inputs)
	if clientID == "" {
		clientID = ownPrompt + c.cfg.NewID()
	}
	return engine.Prompt{ID: event.PromptID(clientID), Blocks: blocks, Sent: stored(inputs)}, err
}

// planInstructions is what the model is instructed to do in the mode plan.
const planInstructions = "Plan mode: look around, ask where something is open, then propose a plan between the lines <proposed_plan> and </proposed_plan>. " +
	"Nothing may be changed in this mode.\n"

// tuningOf returns how a turn with these settings differs from others.
func tuningOf(s event.Settings) (t engine.Tuning) {
	x := extraOf(s)
	t.Model.Summary, t.Window = string(x.Summary), x.Window
	if x.Plan {
		t.ReadOnly, t.Instructions = true, planInstructions
	}
	t.Instructions += x.PlanText
	return t
}

// turnSteer puts input into the running turn (turn/steer).
func (c *conn) turnSteer(ctx context.Context, id jsonrpc.ID, p *TurnSteerParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.Around(func() [][]byte {
		turn, err := c.steer(ctx, t, p)
		if err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		return [][]byte{resultLine(id, TurnSteerResponse{turn})}
	})
}

func (c *conn) steer(ctx context.Context, t *thread, p *TurnSteerParams) (string, error) {
	running := string(t.session.State().Turn)
	switch {
	case running == "":
		return "", errNoActiveTurn
	case running != p.ExpectedTurnID:
		return "", refused("expected active turn id `" + abridged(p.ExpectedTurnID) + "` but found `" + running + "`")
	}
	prompt, err := c.prompt(p.Input, p.ClientUserMessageID)
	if err != nil {
		return "", err
	}
	return running, t.client.Steer(ctx, prompt)
}

// turnInterrupt ends a running turn (turn/interrupt). The answer precedes its end.
func (c *conn) turnInterrupt(ctx context.Context, id jsonrpc.ID, p *TurnInterruptParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.Around(func() [][]byte {
		st := t.session.State()
		switch {
		case p.TurnID != "" && t.client.StopCommand(event.CommandID(p.TurnID)):
			return [][]byte{resultLine(id, TurnInterruptResponse{})}
		case st.Turn == "" && !st.Busy:
			return [][]byte{c.failLine(id, t.id, refused("no active turn to interrupt"))}
		case st.Turn != "" && string(st.Turn) != p.TurnID:
			return [][]byte{c.failLine(id, t.id, refused("expected active turn id `"+abridged(p.TurnID)+"` but found `"+string(st.Turn)+"`"))}
		case st.Elsewhere:
			return [][]byte{c.failLine(id, t.id, refused("the turn runs in another process, which alone can interrupt it"))}
		}
		t.client.Interrupt()
		return [][]byte{resultLine(id, TurnInterruptResponse{})}
	})
}
