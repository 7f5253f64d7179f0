package agentair

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/lock"
)

// This file implements sessions: their beginning and end, messages, and control commands.

// A session is one of the connection's.
type session struct {
	id     int64
	eng    *engine.Session
	pump   *dialect.Pump
	client *engine.Client

	mu   lock.Mutex // guards view: the pump folds it, commands leave notes in it
	view *view
	jobs queue

	epoch int    // how often it was cleared
	last  uint64 // number of the last message that was accepted
	any   bool   // there was one
}

// create opens a session and announces it. A creation that fails uses up its number.
func (c *conn) create(ctx context.Context, m CreateSession) (*session, error) {
	c.last++
	dir := c.cfg.Flags.Cwd
	if m.WorkingDir != nil {
		if dir = *m.WorkingDir; !filepath.IsAbs(dir) {
			dir = filepath.Join(c.cfg.Flags.Cwd, dir)
		}
	}
	settings := event.Settings{Model: cmp.Or(value(m.Model), c.cfg.Flags.Model, c.cfg.Host.DefaultModel()), SystemPrompt: value(m.SystemPrompt)}
	c.cfg.Flags.store(&settings)
	if _, plausible := c.cfg.Host.DescribeModel(settings.Model); !plausible {
		return nil, fmt.Errorf("unknown model: %s", abridged(settings.Model))
	}
	eng, err := c.cfg.Host.Create(ctx, engine.NewSession{Workspace: dir, Settings: settings}, Options(c.cfg.Flags))
	if err != nil {
		return nil, err
	}
	return c.enter(ctx, eng)
}

// resume opens the session that the command line names, as session 1.
func (c *conn) resume(ctx context.Context, name string) error {
	c.last++
	id, err := c.cfg.Host.Find(ctx, c.cfg.Flags.Cwd, name)
	if err != nil {
		return fmt.Errorf("--resume %s: %w", name, err)
	}
	eng, err := c.cfg.Host.Open(ctx, id, Options(c.cfg.Flags))
	if err != nil {
		return fmt.Errorf("--resume %s: %w", name, err)
	}
	if c.cfg.Flags.SetPolicy {
		if err := dialect.SetPolicy(eng, profile, "--policy", c.cfg.Flags.store); err != nil {
			return fmt.Errorf("--resume %s: %w", name, errors.Join(err, eng.Close(ctx)))
		}
	}
	s, err := c.enter(ctx, eng)
	if err != nil {
		return fmt.Errorf("--resume %s: %w", name, err)
	}
	if model := c.cfg.Flags.Model; model != "" {
		if err := s.client.Override(func(settings *event.Settings) { settings.Model = model }); err != nil {
			return fmt.Errorf("--model %s: %w", model, err)
		}
	}
	return nil
}

// enter makes an engine's session one of the connection's. After an error the session is left.
func (c *conn) enter(ctx context.Context, eng *engine.Session) (*session, error) {
	return c.enterAs(ctx, c.last, eng)
}

// enterAs is enter with the number of the session.
func (c *conn) enterAs(ctx context.Context, id int64, eng *engine.Session) (*session, error) {
	info := dialect.ClientInfo(profile)
	info.RunFollowUps = true
	info.NoApprovals, info.NoQuestions = c.cfg.Flags.Policy == AutoApprove, c.cfg.Flags.Policy == AutoApprove // its client answers nothing
	// Attaching may begin a turn with a prompt that waits: the client is sent its beginning.
	st := eng.State()
	s := &session{id: id, eng: eng, client: c.cfg.Host.Attach(eng, info), pump: dialect.NewPump(eng, c.out)}
	s.view = &view{
		session: s.id, prompts: "u" + rand.Text(), extended: c.cfg.Flags.Extended, eachRound: c.cfg.Flags.RoundComplete,
		single: c.cfg.Flags.SinglePermissions, batch: c.requests.nextBatch,
	}
	s.pump.Moved = s.refuseWaiting
	names := dialect.NamesIn(eng, profile, toolset.Get())
	if st.Turns > 0 {
		if err := s.pump.CatchUp(ctx, s.client, names, st.Head, func(rec event.Record) { s.view.render(rec) }); err != nil {
			return nil, err
		}
	}
	records := eng.Log().Follow(s.pump.Context(), st.Head+1, event.KindTextDelta, event.KindRequestCounted, event.KindRetryStarted, event.KindContextEstimated, event.KindServerChanged)
	s.pump.Skip(st.Head)
	c.sessions[s.id] = s
	c.post(System{fmt.Sprintf("Session %d created (model %s)", s.id, cmp.Or(st.Settings.Model, c.cfg.Host.DefaultModel())), &s.id})
	for _, line := range c.linesOf(s, s.view.askOpen()) {
		c.out.Post(line)
	}
	c.pumping.Go(func() {
		if err := s.pump.Run(names.All(records), func(rec event.Record) [][]byte { return c.render(s, rec) }); err != nil {
			c.cfg.Log.Error("events lost", "session", s.id, "error", err)
		}
	})
	return s, nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// render returns the lines for a record.
func (c *conn) render(s *session, rec event.Record) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.linesOf(s, s.view.render(rec))
}

// linesOf returns the lines of messages of the view, and remembers what is requested with them.
func (c *conn) linesOf(s *session, messages []any) [][]byte {
	var lines [][]byte
	for _, message := range messages {
		switch m := message.(type) {
		case permissionMessage:
			if !c.leaving.Load() { // else the client is gone, and it is cancelled
				c.requests.permit(s, m)
				lines = append(lines, encode(m.message))
			}
		case questionMessage:
			if !c.leaving.Load() && c.cfg.Flags.Policy != AutoApprove {
				c.requests.question(s, m)
				lines = append(lines, encode(m.message))
			}
		case settled:
			c.requests.settle(s, m.id)
		case UIMessage:
			lines = append(lines, encode(m))
		}
	}
	return lines
}

// find returns a session of the connection; nil: there is none. One that another client of the host has ended is opened again;
// if that fails, what is done with it says what it misses.
func (c *conn) find(ctx context.Context, id int64) *session {
	s := c.sessions[id]
	if s == nil || s.eng.Ended() == "" || s.eng.Moved() != nil {
		return s
	}
	eng, err := c.cfg.Host.Open(ctx, s.eng.ID(), Options(c.cfg.Flags))
	if err != nil {
		c.cfg.Log.Warn("session not opened again", "session", id, "error", err)
		return s
	}
	again, err := c.enterAs(ctx, id, eng)
	if err != nil {
		c.cfg.Log.Warn("session not opened again", "session", id, "error", err)
		return s
	}
	again.epoch, again.last, again.any = s.epoch, s.last, s.any
	if err := s.pump.Leave(ctx, s.client); err != nil {
		c.cfg.Log.Error("session not saved", "session", id, "error", err)
	}
	return again
}

func (c *conn) withSession(ctx context.Context, id int64, do func(*session)) {
	s := c.find(ctx, id)
	if s == nil {
		c.post(sessionNotFound(id))
		return
	}
	do(s)
}

// say sends messages after all that were sent to the session's client.
func (s *session) say(messages ...UIMessage) {
	lines := make([][]byte, len(messages))
	for i, m := range messages {
		lines[i] = encode(m)
	}
	s.pump.Reply(lines...)
}

// input takes a message of the user; false: it was the last.
func (c *conn) input(ctx context.Context, m ControllerInput) (more bool) {
	s := c.find(ctx, m.SessionID)
	switch {
	case s == nil:
		c.post(sessionNotFound(m.SessionID))
	case m.TurnID.Role != RoleUser:
		c.post(failed(s.id, "turn_id.role must be User"))
	case s.any && m.TurnID.Sequence <= s.last:
		c.post(failed(s.id, "Stale or duplicate turn id: %d", m.TurnID.Sequence))
	case strings.TrimSpace(m.Content) == "":
		c.post(failed(s.id, "Empty message"))
	default:
		return c.accept(ctx, s, m)
	}
	return true
}

// slashCommand is a message that is a command: its first word has one slash, in front.
var slashCommand = lazy.Regexp{Expr: `^/([a-z][a-z0-9_-]*)(?:\s+(.*))?$`}

func (c *conn) accept(ctx context.Context, s *session, m ControllerInput) (more bool) {
	if found := slashCommand.Get().FindStringSubmatch(strings.TrimSpace(m.Content)); found != nil && !strings.HasPrefix(found[1], "mcp__") { // that is a server's
		s.any, s.last = true, m.TurnID.Sequence
		return c.slash(ctx, s, found[1], strings.TrimSpace(found[2]))
	}
	busy, waiting := s.jobs.busy()
	if len(s.eng.State().FollowUps)+waiting >= queueBound {
		c.post(failed(s.id, "Failed to send message to session %d: its queue is full", s.id))
		return true
	}
	prompt := engine.Prompt{ID: promptID(s.view.prompts, s.epoch, m.TurnID.Sequence), Text: m.Content, Sent: sentOf(m)}
	if busy {
		s.any, s.last = true, m.TurnID.Sequence
		s.jobs.add(job{true, func() { s.begin(ctx, prompt) }}, c.commands.Go)
	} else if s.begin(ctx, prompt) {
		s.any, s.last = true, m.TurnID.Sequence
	}
	return true
}

// begin starts a turn, or lets the message wait for those before it, in sessions of all protocols.
func (s *session) begin(ctx context.Context, p engine.Prompt) bool {
	refuse := engine.RefuseSecond
	p.IfBusy = &refuse
	as, err := s.client.Submit(ctx, p)
	if err == nil && as.Repeated {
		err = errRepeated // without a turn of its own it would have no Complete
	}
	if errors.Is(err, engine.ErrTurnActive) {
		err = s.client.FollowUp(ctx, p)
	}
	switch {
	case errors.Is(err, engine.ErrBudget):
		s.say(failed(s.id, "Failed to send message to session %d: %v", s.id, err))
	case err != nil:
		s.say(refusal(s.id, err))
	}
	return err == nil
}

// refuseWaiting reports the messages that wait in a session that has moved to another process.
func (s *session) refuseWaiting(err error) {
	for range s.eng.State().FollowUps {
		s.say(failed(s.id, "Failed to send message to session %d: %v", s.id, err))
	}
}

// interrupt ends the running turn; its command ends with it.
func (c *conn) interrupt(s *session) {
	s.pump.Around(func() [][]byte {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.eng.State().Turn == "" {
			s.jobs.stop() // it may be compacting, or be about to
			s.client.Interrupt()
			return [][]byte{encode(s.view.done("interrupt"))}
		}
		s.view.interrupts++
		s.client.Interrupt()
		return nil
	})
}

// clear forgets the conversation once nothing runs; grants stay.
func (c *conn) clear(s *session) {
	s.epoch++
	s.any, s.last = false, 0
	c.whenIdle(s, func() error {
		_, err := s.eng.Branch(0)
		return err
	}, func() []UIMessage { return []UIMessage{s.done("clear")} }, "clear")
}

// compact sums up once nothing runs.
func (c *conn) compact(s *session) {
	var report string
	c.whenIdle(s, func() error {
		before := s.eng.State().Messages
		wait, err := s.eng.Compact(context.Background(), "")
		if err != nil {
			return err
		}
		if s.jobs.unwanted() {
			s.client.Interrupt()
		}
		done, err := wait()
		if errors.Is(err, engine.ErrNothingToCompact) {
			report = "Nothing to compact"
			return nil
		}
		report = fmt.Sprintf("Compacted: %d messages summarised, %d -> %d messages, %d -> %d tokens of context",
			done.Removed, before, s.eng.State().Messages, done.TokensBefore, done.TokensAfter)
		return err
	}, func() []UIMessage { return []UIMessage{s.display(report), s.done("compact")} }, "compact")
}

// whenIdle calls work as soon as no turn runs, and sends its result. What is sent meanwhile waits.
func (c *conn) whenIdle(s *session, work func() error, done func() []UIMessage, command string) {
	s.jobs.add(job{do: func() {
		err := engine.ErrTurnActive
		for errors.Is(err, engine.ErrTurnActive) {
			if err = s.eng.Wait(context.Background()); err == nil { // every turn ends
				err = work()
			}
		}
		if err != nil {
			refused := refusal(s.id, err)
			s.say(refused, s.failed(command, refused.Message))
			return
		}
		s.say(done()...)
	}}, c.commands.Go)
}

func (s *session) done(command string) CommandComplete {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view.done(command)
}

// failed returns the end of a command that did not succeed.
func (s *session) failed(command, why string) CommandComplete {
	m := s.done(command)
	if m.CommandMore != nil {
		m.CommandMore = &CommandMore{Message: &why}
	}
	return m
}

func (s *session) display(content string) Display {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := Display{Content: content, SessionID: s.id}
	if s.view.extended {
		m.TurnMore = &TurnMore{}
	}
	return m
}

func (c *conn) createSession(ctx context.Context, m CreateSession) {
	s, err := c.create(ctx, m)
	if err != nil {
		c.post(Error{Message: fmt.Sprintf("Session %d could not be created: %v", c.last, err)})
		return
	}
	s.say(s.done("new-session"))
}

// removeSession ends a session and what runs in it.
func (c *conn) removeSession(ctx context.Context, m RemoveSession) {
	s := c.sessions[m.SessionID]
	if s == nil {
		c.post(sessionNotFound(m.SessionID))
		return
	}
	delete(c.sessions, s.id)
	resume := func() {}
	if !c.cfg.Host.Outlives(s.eng) {
		resume = c.interruptAll(s)
	}
	s.jobs.add(job{do: func() {
		if err := s.pump.Leave(ctx, s.client); err != nil {
			c.cfg.Log.Error("session not saved", "session", s.id, "error", err)
		}
		resume()
		s.say(s.done("remove-session")) // after everything: the session's records have ended
	}}, c.commands.Go)
}
