package flint

import (
	"context"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains chapter 3 of the document: turns.

// turnStart begins a turn and answers at once (turn/start).
func (c *conn) turnStart(ctx context.Context, id jsonrpc.ID, p *TurnStartParams) {
	t, err := c.load(ctx, p.ThreadID, false)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	release, err := t.session.Lease() // what other processes wrote is not caused by the request: it precedes the answer
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	defer release()
	t.pump.Around(func() [][]byte {
		turn, err := c.begin(ctx, t, p)
		if err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		c.last = t
		return [][]byte{resultLine(id, TurnStartResult{Turn{ID: turn, Status: TurnInProgress, Items: []ThreadItem{}}})}
	})
}

// begin starts the turn; the caller has the lease. If it cannot, nothing has changed.
func (c *conn) begin(ctx context.Context, t *thread, p *TurnStartParams) (string, error) {
	st := t.session.State()
	if st.Busy {
		return "", engine.ErrTurnActive
	}
	settings, given := st.Settings, overrides{p.Model, p.Cwd, p.ApprovalPolicy, p.SandboxPolicy}
	if err := c.override(&settings, given); err != nil {
		return "", err
	}
	if settings.Dir == "" {
		if _, err := engine.Workspace(st.Workspace); err != nil {
			return "", engine.ErrNoFolder
		}
	}
	tuning, err := c.tuning(settings, p.Config)
	if err != nil {
		return "", err
	}
	blocks, err := blocksOf(p.Input)
	if err != nil {
		return "", err
	}
	if settings.Model == "" {
		tuning.ModelName = c.defaultModel()
	}
	var before, after event.Settings
	err = t.client.Change(func(s *event.Settings) { // another client may have changed them meanwhile
		before = *s
		_ = c.override(s, given) // it was tried above
		after = *s
	})
	if err != nil {
		return "", err
	}
	turn := c.cfg.NewID()
	_, err = t.client.Prompt(ctx, engine.Prompt{
		ID: event.PromptID(turn), Blocks: blocks, Sent: keep(p.Input), Turn: event.TurnID(turn), Tuning: tuning,
	})
	if err != nil {
		_ = t.client.Change(engine.Revert(before, after)) // the first error reports why
	}
	return turn, err
}

// turnInterrupt ends a running turn (turn/interrupt). While it ends, asking again is fine.
func (c *conn) turnInterrupt(ctx context.Context, id jsonrpc.ID, p *TurnInterruptParams) {
	t := c.opened(p.ThreadID)
	if t == nil {
		err := error(errNotRunning)
		if !c.cfg.Host.Exists(ctx, event.SessionID(p.ThreadID)) {
			err = engine.ErrNoSession
		}
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.Around(func() [][]byte {
		if string(t.session.State().Turn) != p.TurnID || p.TurnID == "" {
			return [][]byte{errorLine(id, errNotRunning)}
		}
		if t.session.State().Elsewhere {
			return [][]byte{errorLine(id, errElsewhere)}
		}
		t.client.Interrupt()
		return [][]byte{resultLine(id, Empty{})}
	})
}

// blocksOf returns a prompt as models get it, one block an input.
func blocksOf(inputs UserInputs) ([]model.Block, error) {
	blocks := make([]model.Block, len(inputs))
	for i, input := range inputs {
		switch in := input.(type) {
		case TextInput:
			blocks[i] = model.TextBlock(in.Text)
		case ImageInput:
			image, ok := appserver.ImageOf(in.URL)
			if !ok {
				return nil, invalidParams("input: url must hold a png, jpeg, gif or webp image of at most 20 MiB")
			}
			blocks[i] = model.ImageBlock(image)
		case LocalImageInput:
			image, ok := appserver.ReadImage(in.Path)
			if !ok {
				return nil, invalidParams("cannot read image " + abridged(in.Path))
			}
			blocks[i] = model.ImageBlock(image)
		}
	}
	return blocks, nil
}
