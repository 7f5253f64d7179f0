package codex

import (
	"context"
	"errors"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file begins threads: new ones, stored ones, copies.

func threadMethods() []handler {
	return []handler{
		on("thread/start", (*conn).threadStart),
		on("thread/resume", (*conn).threadResume, checkThreadResume),
		on("thread/fork", (*conn).threadFork),
		on("thread/revert", (*conn).threadRevert),
		on("thread/unsubscribe", (*conn).threadUnsubscribe),
		on("thread/name/set", (*conn).threadNameSet),
		on("thread/archive", (*conn).threadArchive),
		on("thread/unarchive", (*conn).threadUnarchive),
		on("thread/delete", (*conn).threadDelete),
		on("thread/settings/update", (*conn).threadSettingsUpdate),
		on("thread/metadata/update", (*conn).threadMetadataUpdate),
		on("thread/compact/start", (*conn).threadCompact),
	}
}

// threadStart makes a thread (thread/start).
func (c *conn) threadStart(ctx context.Context, id jsonrpc.ID, p *ThreadStartParams) {
	settings := event.Settings{}
	c.defaults(&settings)
	err := c.apply(&settings, overrides{
		model: p.Model, provider: p.ModelProvider, cwd: p.Cwd, policy: p.ApprovalPolicy, mode: p.Sandbox, permissions: p.Permissions,
		base: p.BaseInstructions, developer: p.DeveloperInstructions, personality: p.Personality, config: p.Config,
	})
	if err != nil {
		c.fail(id, "", err)
		return
	}
	servers, err := serversOf(p.Config)
	if err != nil {
		c.fail(id, "", err)
		return
	}
	dir := c.cfg.Flags.Cwd
	if settings.Dir != "" {
		dir, settings.Dir = settings.Dir, ""
	}
	x := extraOf(settings)
	x.Originator, x.Source, x.ThreadSource, x.Ephemeral = c.client.Name, c.cfg.Flags.Source.Word, p.ThreadSource, p.Ephemeral
	x.store(&settings)
	settings.Archived = p.Ephemeral // it is not listed, not even if the process dies
	s, err := c.cfg.Host.Create(ctx, engine.NewSession{ID: event.SessionID(c.cfg.NewID()), Workspace: dir, Settings: settings}, c.options(settings))
	if err != nil {
		c.fail(id, "", err)
		return
	}
	t, err := c.follow(ctx, s)
	if err != nil {
		c.fail(id, "", err)
		return
	}
	t.use(servers)
	if err := c.offerTools(t, p.DynamicTools); err != nil {
		c.leave(ctx, t)
		c.fail(id, "", err)
		return
	}
	shown := c.shownOpen(t.session)
	c.reply(id, c.started(t, shown))
	for _, line := range c.announce("thread/started", ThreadStartedNotification{shown}) {
		c.out.Post(line)
	}
}

// started returns the answer to a request that has made a thread.
func (c *conn) started(t *thread, shown Thread) ThreadStartResponse {
	settings := t.session.State().Settings
	_, sandbox := engine.ContainmentOf(settings)
	return ThreadStartResponse{
		Thread: shown, Model: string(shown.Model), ModelProvider: shown.ModelProvider, Cwd: shown.Cwd, ApprovalPolicy: policyOf(settings),
		ApprovalsReviewer: ApprovalsReviewerUser, Sandbox: shownSandbox(sandbox), ActivePermissionProfile: shownProfile(sandbox),
		ReasoningEffort: shown.ReasoningEffort, DisabledPluginIDs: []string{}, InstructionSources: instructionSources(t.session),
		RuntimeWorkspaceRoots: []string{shown.Cwd}, MultiAgentMode: &MultiAgentMode{Word: "explicitRequestOnly"},
	}
}

// resumed returns the answer to a request that has opened a thread.
func (c *conn) resumed(t *thread, shown Thread) ThreadResumeResponse {
	s, mode := c.started(t, shown), c.collaboration(t.session.State().Settings)
	return ThreadResumeResponse{
		Thread: s.Thread, Model: s.Model, ModelProvider: s.ModelProvider, Cwd: s.Cwd, ApprovalPolicy: s.ApprovalPolicy,
		ApprovalsReviewer: s.ApprovalsReviewer, Sandbox: s.Sandbox, ActivePermissionProfile: s.ActivePermissionProfile,
		ReasoningEffort: s.ReasoningEffort, DisabledPluginIDs: s.DisabledPluginIDs, InstructionSources: s.InstructionSources,
		RuntimeWorkspaceRoots: s.RuntimeWorkspaceRoots, MultiAgentMode: s.MultiAgentMode, CollaborationMode: &mode,
	}
}

func checkThreadResume(p *ThreadResumeParams) error {
	if len(p.History) > 0 {
		return problem("history", "is not taken: the stored thread has its own")
	}
	return nil
}

// threadResume subscribes to a thread (thread/resume). One that is loaded stays as it is; overrides are for one that is only stored.
func (c *conn) threadResume(ctx context.Context, id jsonrpc.ID, p *ThreadResumeParams) {
	_, err := c.cfg.Host.Session(event.SessionID(p.ThreadID))
	fresh := err != nil
	t, err := c.load(ctx, p.ThreadID)
	if err == nil {
		err = t.session.Log().Refresh()
	}
	if err == nil && t.session.State().Settings.Archived && !t.ephemeral {
		c.leave(ctx, t)
		err = refused("session " + p.ThreadID + " is archived. Run `thread/unarchive` to unarchive it first.")
	}
	if err == nil && fresh {
		var servers []engine.Server
		if servers, err = serversOf(p.Config); err == nil {
			t.use(servers)
		}
	}
	if err == nil && fresh {
		err = c.override(t, overrides{
			model: p.Model, provider: p.ModelProvider, cwd: p.Cwd, policy: p.ApprovalPolicy, mode: p.Sandbox, permissions: p.Permissions,
			base: p.BaseInstructions, developer: p.DeveloperInstructions, personality: p.Personality, config: p.Config,
		})
	}
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.At(func(head uint64) [][]byte {
		d := whole
		if p.ExcludeTurns && p.InitialTurnsPage == nil {
			d = outline
		}
		h, err := c.history(ctx, t.session, t.names, head, d)
		if err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		shown := c.shownOpen(t.session)
		if !p.ExcludeTurns {
			shown.Turns = h.turns
		}
		answer := c.resumed(t, shown)
		answer.TurnsBackwardsCursor, answer.ItemsBackwardsCursor = h.turnsEnd(), h.itemsEnd()
		if page := p.InitialTurnsPage; page != nil {
			answer.InitialTurnsPage = h.initialPage(page)
		}
		lines := [][]byte{resultLine(id, answer)}
		lines = append(lines, c.announce("thread/status/changed", ThreadStatusChangedNotification{ThreadID: t.id, Status: statusOf(t.session)})...)
		lines = append(lines, c.usage(h)...)
		lines = append(lines, c.showGoal(t)...)
		return append(lines, c.askWaiting(t)...)
	})
	c.goOn(t.session)
}

// usage returns what a thread that was opened has used, with the id of its last turn; nil: nothing.
func (c *conn) usage(h history) [][]byte {
	last := len(h.turns)
	if last == 0 || h.view.total.Context()+h.view.total.Output == 0 {
		return nil
	}
	return c.announce("thread/tokenUsage/updated", h.view.tokens(h.turns[last-1].ID))
}

// override changes the settings of a thread that was opened.
func (c *conn) override(t *thread, o overrides) error {
	trial := t.session.State().Settings
	if err := c.apply(&trial, o); err != nil {
		return err
	}
	return t.client.Override(func(s *event.Settings) { _ = c.apply(s, o) }) // it was tried above
}

// threadFork makes a copy of a thread, up to a turn (thread/fork).
func (c *conn) threadFork(ctx context.Context, id jsonrpc.ID, p *ThreadForkParams) {
	before, err := c.forkPoint(ctx, p)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	t, err := c.copyOf(ctx, p.ThreadID, before, !p.Ephemeral, extra{Ephemeral: p.Ephemeral, ThreadSource: p.ThreadSource})
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	err = c.override(t, overrides{
		model: p.Model, provider: p.ModelProvider, cwd: p.Cwd, policy: p.ApprovalPolicy, mode: p.Sandbox, permissions: p.Permissions,
		base: p.BaseInstructions, developer: p.DeveloperInstructions, config: p.Config,
	})
	if err == nil {
		var servers []engine.Server
		if servers, err = serversOf(p.Config); err == nil {
			t.use(servers)
		}
	}
	if err != nil {
		c.discard(ctx, t)
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.At(func(head uint64) [][]byte {
		shown := c.shownOpen(t.session)
		started := shown
		d := whole
		if p.ExcludeTurns {
			d = outline
		}
		h, err := c.history(ctx, t.session, t.names, head, d)
		if err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		if !p.ExcludeTurns {
			shown.Turns = h.turns
		}
		r := c.resumed(t, shown)
		lines := [][]byte{resultLine(id, ThreadForkResponse{
			Thread: r.Thread, Model: r.Model, ModelProvider: r.ModelProvider, Cwd: r.Cwd, ApprovalPolicy: r.ApprovalPolicy,
			ApprovalsReviewer: r.ApprovalsReviewer, Sandbox: r.Sandbox, ActivePermissionProfile: r.ActivePermissionProfile,
			ReasoningEffort: r.ReasoningEffort, DisabledPluginIDs: r.DisabledPluginIDs, InstructionSources: r.InstructionSources,
			RuntimeWorkspaceRoots: r.RuntimeWorkspaceRoots, MultiAgentMode: r.MultiAgentMode,
		})}
		lines = append(lines, c.announce("thread/started", ThreadStartedNotification{started})...)
		lines = append(lines, c.usage(h)...)
		return append(lines, c.showGoal(t)...)
	})
	if !p.DeferGoalContinuation {
		c.goOn(t.session)
	}
}

// copyOf returns a copy of a thread up to a record, subscribed to. It has the goal of the thread only if goal is set, and of extra
// what is new in the copy.
func (c *conn) copyOf(ctx context.Context, id string, before uint64, goal bool, e extra) (*thread, error) {
	s, err := c.cfg.Host.Fork(ctx, event.SessionID(id), before, engine.NewSession{ID: event.SessionID(c.cfg.NewID())}, c.options(event.Settings{}))
	if err != nil {
		return nil, err
	}
	used, head := tokensOf(s.State().Usage), s.State().Head
	err = s.Join(engine.ClientInfo{}).Override(func(set *event.Settings) {
		x := extraOf(*set)
		x.Originator, x.Source, x.ThreadSource, x.Ephemeral = c.client.Name, c.cfg.Flags.Source.Word, e.ThreadSource, e.Ephemeral
		x.Reading = reading{Revision: 1, Head: head} // the copy is read
		if !goal {
			x.Goal = nil
		} else if x.Goal != nil {
			x.Goal.count(false, used, time.Time{}, c.cfg.Now())
		}
		x.store(set)
		set.Archived = e.Ephemeral
	})
	if err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return c.follow(ctx, s)
}

// discard removes a copy that is of no use.
func (c *conn) discard(ctx context.Context, t *thread) {
	c.leave(ctx, t)
	_ = c.cfg.Host.Remove(ctx, event.SessionID(t.id))
}

// forkPoint returns the record that a copy ends before; 0: there is none.
func (c *conn) forkPoint(ctx context.Context, p *ThreadForkParams) (uint64, error) {
	if p.BeforeTurnID == "" && p.LastTurnID == "" {
		return 0, nil
	}
	found := p.BeforeTurnID == ""
	passed := p.LastTurnID == ""
	for rec, err := range c.cfg.Host.Read(ctx, event.SessionID(p.ThreadID)) {
		if err != nil {
			return 0, err
		}
		message, ok := rec.Event.(event.UserMessage)
		if !ok || message.Via == event.ByEngine {
			continue
		}
		switch turn := string(rec.Turn); {
		case p.BeforeTurnID != "" && turn == p.BeforeTurnID:
			return rec.Seq, nil
		case p.LastTurnID != "" && turn == p.LastTurnID:
			passed = true
		case p.LastTurnID != "" && passed:
			return rec.Seq, nil
		}
	}
	if !found || !passed {
		return 0, invalid("the thread has no turn `" + abridged(p.BeforeTurnID+p.LastTurnID) + "`")
	}
	return 0, nil
}
