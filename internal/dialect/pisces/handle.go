package pisces

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// queued is the answer to a message that waits.
var queued = Accepted{DispositionQueued}

// handle does what a command asks for.
func (c *conn) handle(ctx context.Context, m command) {
	s := c.session
	switch p := m.params.(type) {
	case Prompt:
		c.prompt(ctx, m, p)
	case Steer:
		c.reply(m, queued, c.queue(p.Message, p.Images, func(p engine.Prompt) error { return s.client.Steer(ctx, p) }))
	case FollowUp:
		c.reply(m, queued, c.queue(p.Message, p.Images, func(p engine.Prompt) error { return s.client.FollowUp(ctx, p) }))
	case Abort:
		c.ext.interrupt()
		c.reply(m, nil, s.abort(ctx))
	case AbortAndPrompt:
		if err := s.abort(ctx); err != nil {
			c.reply(m, nil, err)
			return
		}
		c.prompt(ctx, m, Prompt{Message: p.Message, Images: p.Images})
	case Bash:
		c.runBash(m, p.Command)
	case AbortBash:
		c.shell.abort()
		c.reply(m, nil, nil)
	case Compact:
		c.compact(ctx, m, p.CustomInstructions)
	case ExportHTML:
		c.aside(m, func(ctx context.Context) (any, error) { return c.exportHTML(ctx, s, p.OutputPath) })
	default:
		if !c.handleSessions(ctx, m) && !c.handleChoices(ctx, m) && !c.handleNewer(ctx, m) {
			c.handleQuestions(ctx, m)
		}
	}
}

// handleSessions handles the commands that change the session; false: m is another command.
func (c *conn) handleSessions(ctx context.Context, m command) bool {
	switch m.params.(type) {
	case NewSession, SwitchSession, Branch, Fork, Clone, OpenSession:
		data, err := c.change(ctx, m.params)
		c.reply(m, data, err)
		return true
	}
	return false
}

// change leaves the session for another, unless an extension wants to stay.
func (c *conn) change(ctx context.Context, params any) (data any, err error) {
	s := c.session
	before := switchEvent{Type: "session_before_switch"}
	after := switchEvent{Type: "session_switch", Previous: s.path()}
	var next func() (*engine.Session, error)
	data = Cancelled{}
	var entry string
	switch p := params.(type) {
	case NewSession:
		before.Reason = "new"
		next = func() (*engine.Session, error) { return c.newSession(ctx, "", p.ParentSession) }
	case SwitchSession:
		before.Reason, before.Target = "resume", c.absolute(p.SessionPath)
		next = func() (*engine.Session, error) { return c.switchTo(ctx, p.SessionPath) }
	case Branch:
		entry = p.EntryID
	case Fork:
		entry = p.EntryID
	case OpenSession:
		path := newestFile(c.absolute(p.SessionDir))
		before.Reason, before.Target = "resume", path
		next = func() (*engine.Session, error) { return c.openIn(ctx, c.absolute(p.SessionDir), path) }
	case Clone:
		before.Reason = "fork"
		next = func() (*engine.Session, error) { return c.fork(ctx, s.eng, 0) }
	}
	after.Reason = before.Reason
	var branched Branched
	if next == nil {
		branched, next = c.branching(ctx, entry)
		data = branched
		before, after = switchEvent{Type: "session_before_branch", EntryID: entry}, switchEvent{Type: "session_branch", Previous: after.Previous}
	}
	if c.ext.vetoed(before) {
		branched.Cancelled = true
		if before.EntryID != "" {
			return branched, nil
		}
		if _, ok := params.(OpenSession); ok {
			return OpenedSession{Cancelled: true, SessionID: string(s.eng.ID()), SessionFile: s.path()}, nil
		}
		return Cancelled{Cancelled: true}, nil
	}
	if err := c.exchange(ctx, next); err != nil {
		return data, err
	}
	c.ext.emit(c.life, after)
	if _, ok := params.(OpenSession); ok {
		return OpenedSession{Resumed: before.Target != "", SessionID: string(c.session.eng.ID()), SessionFile: c.session.path()}, nil
	}
	return data, nil
}

// handleChoices handles the commands that choose something; false: m is another command.
func (c *conn) handleChoices(ctx context.Context, m command) bool {
	var data any
	var err error
	switch p := m.params.(type) {
	case SetModel:
		data, err = c.setModel(p)
	case CycleModel:
		data, err = orNull(c.cycleModel(ctx))
	case SetThinkingLevel:
		err = c.setThinking(p.Level)
	case CycleThinkingLevel:
		data, err = orNull(c.cycleThinking())
	case SetSteeringMode:
		err = c.choose(settingSteering, string(p.Mode))
	case SetFollowUpMode:
		err = c.choose(settingFollowUps, string(p.Mode))
	case SetInterruptMode:
		err = c.choose(settingInterrupt, string(p.Mode))
	case SetAutoCompaction:
		err = c.choose(settingCompact, p.Enabled)
	case SetAutoRetry:
		err = c.choose(settingRetry, p.Enabled)
	case AbortRetry:
		c.abortRetry(m)
		return true
	case SetSessionName:
		err = c.setName(p.Name)
	default:
		return false
	}
	c.reply(m, data, err)
	return true
}

// orNull returns data that is null where there is none.
func orNull(data any, err error) (any, error) {
	if data == nil {
		return jsontext.Value(rawjson.Null), err
	}
	return data, err
}

// handleQuestions is the commands that change nothing. The answers follow the events of what they contain.
func (c *conn) handleQuestions(ctx context.Context, m command) {
	s := c.session
	switch m.params.(type) {
	case GetState:
		s.pump.Later(func() [][]byte { return [][]byte{outcome(m, c.state(s), nil)} })
	case GetAvailableModels:
		c.reply(m, c.availableModels(ctx), nil)
	case GetSessionStats:
		s.answerAt(ctx, m, func(h *sessionfile.History) any { return s.stats(h.Context()) })
	case GetBranchMessages, GetForkMessages:
		s.answerAt(ctx, m, func(h *sessionfile.History) any { return BranchMessages{branchMessages(h)} })
	case GetLastAssistantText:
		s.answerAt(ctx, m, func(h *sessionfile.History) any { return LastAssistantText{lastAssistantText(h.Context())} })
	case GetMessages:
		s.answerAt(ctx, m, func(h *sessionfile.History) any { return Messages{h.Context()} })
	case GetCommands:
		c.reply(m, c.slashCommands(), nil)
	default: // a command of the table without a case: a defect
		c.reply(m, nil, errors.New(m.name+" is not there"))
	}
}

// prompt starts a run, or queues after what the run is at (prompt). It is acknowledged
// first; what is wrong with it is a second answer.
func (c *conn) prompt(ctx context.Context, m command, p Prompt) {
	s := c.session
	if name, args, ok := c.ext.command(p.Message); ok {
		c.reply(m, accepted(m, DispositionHandled), nil)
		st := s.eng.State()
		open := &openPrompt{id: m.id, command: true, during: st.Turn, turns: st.Turns}
		s.accept(open)
		c.beside.Go(func() {
			_ = c.ext.running().Command(c.life, name, args) // a failure is reported
			s.handled(open)
		})
		return
	}
	said, err := c.compose(p.Message, p.Images)
	acknowledged := false
	if err == nil && c.ext.running() != nil && s.eng.State().Turn == "" {
		acknowledged = true
		s.pump.Reply(outcome(m, accepted(m, DispositionStarted), nil))
		c.ext.prepare(c.life, s, &said, p.Images)
	}
	s.pump.AroundLater(func() func() [][]byte {
		var lines [][]byte
		open := &openPrompt{id: m.id, after: s.eng.State().Head}
		if err == nil {
			open.turn, err = c.start(ctx, s, said, p.StreamingBehavior)
		}
		if !acknowledged && (err == nil || !c.cfg.Flags.ErrorIDs) { // in pi's mode the refusal is the one answer
			lines = append(lines, outcome(m, accepted(m, open.disposition(err)), nil))
		}
		if err != nil {
			problem := problemOf(err)
			lines = append(lines, encode(*failed(m, problem)))
			return func() [][]byte { return append(lines, s.refused(m.id, problem)...) }
		}
		s.accept(open)
		return func() [][]byte { return lines }
	})
}

// accepted returns the data of an acknowledged prompt; nil: its answer has none.
func accepted(m command, d Disposition) any {
	if m.name == CommandAbortAndPrompt {
		return nil
	}
	return Accepted{d}
}

// handled follows a command of an extension. Where a turn has begun since, its end is the result,
// also if it has ended and clients do not know it yet.
func (s *session) handled(open *openPrompt) {
	s.pump.Around(func() [][]byte {
		st := s.eng.State()
		s.mu.Lock()
		defer s.mu.Unlock()
		at := slices.Index(s.prompts, open)
		if at < 0 || st.Turns > open.turns {
			return nil
		}
		s.prompts = slices.Delete(s.prompts, at, at+1)
		settled := st.Turn == "" && len(st.Steering)+len(st.FollowUps) == 0
		return [][]byte{encode(PromptResult{ID: open.id, Status: PromptCompleted, SessionSettled: settled})}
	})
}

// start starts a turn, or, while one is on, does what behavior says; then there is no id.
func (c *conn) start(ctx context.Context, s *session, said engine.Prompt, behavior StreamingBehavior) (event.TurnID, error) {
	if err := c.keep(s); err != nil {
		return "", err
	}
	if err := c.cfg.Host.CheckModel(s.eng.State().Settings.Model); err != nil {
		return "", err
	}
	turn, err := s.client.Prompt(ctx, said)
	if !errors.Is(err, engine.ErrTurnActive) {
		return turn, err
	}
	switch behavior {
	case BehaviorSteer:
		return "", s.client.Steer(ctx, said)
	case BehaviorFollowUp:
		return "", s.client.FollowUp(ctx, said)
	}
	return "", err
}

// queue lets a message wait (steer, follow_up).
func (c *conn) queue(text string, images []message.Image, wait func(engine.Prompt) error) error {
	if name, _, ok := c.ext.command(text); ok {
		return fmt.Errorf("Extension command %q cannot be queued: send it with prompt.", "/"+name) //nolint:staticcheck // the protocol's words
	}
	said, err := c.compose(text, images)
	if err != nil {
		return err
	}
	return wait(said)
}

func (c *conn) setName(name string) error {
	name = strings.TrimSpace(name)
	if name == "" {
		return checked("Session name cannot be empty")
	}
	return c.session.client.Change(func(s *event.Settings) { s.Name = name })
}

// abortRetry ends the wait before a retry; its answer precedes what it causes (abort_retry).
func (c *conn) abortRetry(m command) {
	s := c.session
	s.pump.Around(func() [][]byte {
		s.eng.AbortRetry()
		return [][]byte{outcome(m, nil, nil)}
	})
}

// choose keeps a setting, which holds from now on.
func (c *conn) choose(name string, value any) error {
	c.cfg.Settings.choose(name, value)
	return c.session.eng.Adjust(c.adjust)
}
