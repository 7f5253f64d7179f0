package engine

import (
	"context"
	"errors"
	"fmt"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/session"
)

// This file contains turns that a back end runs in place of the loop of this package: which agent runs them, and
// what prompts it gets. What the agent reports becomes records in backend_turn.go and backend_call.go.

// FailBackend is the kind of failures of a back end; Failure.Code is a backend.Code.
const FailBackend = "backend"

// A runningAgent is the agent of a session, with a process that waits for the next prompt.
type runningAgent struct {
	name string // of its back end
	dir  string
	conf sandbox.Policy
	backend.Agent
}

// delegate has the back end of the session work until nothing more waits for it, or something ends the turn.
func (t *turn) delegate(ctx context.Context) (event.TurnReason, *event.Failure) {
	asking, stop := t.watchAgent(ctx)
	defer stop()
	prompt := backend.Prompt{ID: string(t.slot.prompt), Blocks: t.blocks}
	for {
		if err := t.s.opts.Budget.Err(); err != nil {
			return event.TurnBudget, failing(err)
		}
		reason, err := t.delegatePrompt(asking, prompt)
		switch {
		case ctx.Err() != nil:
			return event.TurnInterrupted, nil
		case t.isFinal() && (err != nil || reason == event.TurnInterrupted):
			return event.TurnCompleted, nil
		case asking.Err() != nil && (err != nil || reason == event.TurnInterrupted), errors.Is(err, ErrBudget):
			return event.TurnBudget, failing(t.s.opts.Budget.Err())
		case err != nil:
			return event.TurnFailed, backendFailure(err)
		}
		next := t.take(true)
		if len(next) == 0 {
			return reason, nil
		}
		prompt = backend.Prompt{ID: string(next[0].ID)}
		for _, q := range next {
			prompt.Blocks = append(prompt.Blocks, q.Blocks...)
		}
	}
}

// delegatePrompt has the agent work on one prompt.
func (t *turn) delegatePrompt(ctx context.Context, p backend.Prompt) (event.TurnReason, error) {
	t.showStatus(event.Thinking)
	a, earlier, err := t.agent(ctx)
	if err != nil {
		return "", err
	}
	if earlier != "" {
		p.Blocks = append([]model.Block{model.TextBlock(earlier)}, p.Blocks...)
	}
	if !a.Info().Images && hasImages(p.Blocks) {
		return "", &backend.Error{Backend: a.name, Code: backend.CodeRefused, Message: "the agent takes no images"}
	}
	d := &delegation{t: t, ctx: ctx, agent: a, calls: map[string]*delegatedCall{}}
	defer d.close()
	if err := d.refuseUnpriced(); err != nil {
		return "", err
	}
	for u, err := range a.Turn(ctx, p) {
		if err != nil {
			return "", err
		}
		d.take(u)
		if d.failure != nil {
			return "", d.failure
		}
	}
	if d.ended.Failure != nil {
		return "", d.ended.Failure
	}
	return d.reason, nil
}

func hasImages(blocks []model.Block) bool {
	for _, b := range blocks {
		if b.Kind == model.KindImage {
			return true
		}
	}
	return false
}

// agent returns the agent of the session, which is started, or resumed, if it does not run. Earlier is the
// conversation as text for an agent that does not have it; "": it has.
func (t *turn) agent(ctx context.Context) (a *runningAgent, earlier string, err error) {
	s := t.s
	confine, err := t.env.PolicyIn(t.env.Workspace.Dir(), s.sandbox(t.env))
	if err != nil {
		return nil, "", err
	}
	confine.Network = true // it calls its model itself
	s.mu.Lock()
	name, known, running := s.fold.State.Settings.Backend, s.fold.Backend, s.work.agent
	limits := s.agentLimits()
	s.mu.Unlock()
	if known.Backend != name {
		known.Session = ""
	}
	dir := t.env.Workspace.Dir()
	if running != nil {
		if running.name == name && running.dir == dir && running.conf.Equal(confine) && running.ID() == known.Session && running.Alive() {
			return running, "", nil
		}
		s.setAgent(nil)
	}
	driver, err := s.host.cfg.Backends(name)
	if err != nil {
		return nil, "", &backend.Error{Backend: name, Code: backend.CodeStart, Message: err.Error()}
	}
	o := backend.Opening{Session: known.Session, Dir: dir, Confine: confine, Settings: limits}
	o.Model = t.agentModel(name)
	opened, err := driver.Open(ctx, o)
	if errors.Is(err, backend.ErrGone) {
		o.Session = ""
		opened, err = driver.Open(ctx, o)
	}
	if err != nil {
		return nil, "", err
	}
	a = &runningAgent{name, dir, confine, opened}
	s.setAgent(a)
	messages := 0
	if o.Session == "" {
		earlier, messages = t.earlier()
	}
	info := a.Info()
	s.mu.Lock()
	defer s.mu.Unlock()
	if messages > 0 {
		s.log.Append(t.id, event.Notice{Level: event.Warning, Code: NoticeRetold, Text: fmt.Sprintf("%s does not have this conversation, and receives it as text.", name)})
	}
	err = s.log.Commit(t.id, event.BackendOpened{
		Backend: name, Session: a.ID(), Program: info.Program, Version: info.Version, Resumed: o.Session != "", Told: messages,
	})
	return a, earlier, err
}

// maxEarlier is the length of the text with the conversation for an agent that does not have it, in bytes.
const maxEarlier = 64 << 10

// earlier returns the history before the turn as text, and how many messages it has.
func (t *turn) earlier() (text string, messages int) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	var old []session.Entry
	for _, e := range s.fold.Entries {
		if e.Seq <= t.head {
			old = append(old, e)
		}
	}
	if len(old) == 0 {
		return "", 0
	}
	return "<earlier-conversation>\n" + s.fold.Transcript(old, event.Carryover{}, maxEarlier, "") + "</earlier-conversation>", len(old)
}

// NoticeRetold is the code of the Notice that an agent receives the conversation as text.
const NoticeRetold = "backend_retold"

// agentModel returns the model of the turn as the agent names it; "": its default.
func (t *turn) agentModel(name string) string {
	if len(t.model) > len(name) && t.model[:len(name)+1] == name+"/" {
		return t.model[len(name)+1:]
	}
	return ""
}

// agentLimits returns what holds for calls of an agent that confines its commands itself. The caller holds the session's lock.
func (s *Session) agentLimits() backend.Settings {
	if !s.approvals().Confines() {
		return backend.Settings{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}} // each call is decided about
	}
	settings := s.fold.State.Settings
	return backend.Settings{Sandbox: s.withRoots(settings.Sandbox), Asking: settings.Asking}
}

// setAgent makes a the agent of the session, and closes the one before.
func (s *Session) setAgent(a *runningAgent) {
	s.mu.Lock()
	before := s.work.agent
	s.work.agent = a
	s.mu.Unlock()
	if before != nil {
		before.Close()
	}
}

// backendFailure returns the failure of a turn for an error of a back end.
func backendFailure(err error) *event.Failure {
	if e, ok := errors.AsType[*backend.Error](err); ok {
		return &event.Failure{Kind: FailBackend, Message: e.Error(), Provider: e.Backend, Code: string(e.Code)}
	}
	return failing(err)
}
