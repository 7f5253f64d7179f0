package loaf

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains the methods of sessions. A session of this protocol is a place with an id of
// its own; the chat in it, which is kept, can be exchanged for another.

// A session is one of the connection's.
type session struct {
	id      string
	created time.Time
	title   string

	mu          lock.Mutex // guards view and what follows: the pump folds it, answers look into it
	view        *view
	chat        *chat
	compressing context.CancelFunc // ends a compaction that a client waits for; nil: none

	sent map[event.PromptID]time.Time // when prompts that wait were sent
}

// A chat is what is kept.
type chat struct {
	eng    *engine.Session
	pump   *dialect.Pump
	client *engine.Client
	done   chan struct{} // closed when all its records are rendered
}

// sessionCreate makes a session with an empty chat (session.create).
func (c *conn) sessionCreate(ctx context.Context, id jsonrpc.ID, p *SessionCreateParams) {
	s := &session{id: c.cfg.NewID(), created: c.cfg.Now(), title: p.Title, sent: map[event.PromptID]time.Time{}}
	j, err := c.joinNext(ctx, s, func() (*engine.Session, error) { return c.newChat(ctx, p.Title) })
	if err != nil {
		c.fail(id, err)
		return
	}
	c.enter(s, j)
	c.sessions[s.id] = s
	c.roster.Lock()
	c.order = append(c.order, s.id)
	c.roster.Unlock()
	c.reply(id, SessionCreateResult{s.id, c.stateOf(s)})
	c.changed(ChangedSessionCreated, s.id)
}

// newChat returns an empty chat; it reaches the disk with its first prompt.
func (c *conn) newChat(ctx context.Context, title string) (*engine.Session, error) {
	settings := event.Settings{Name: title}
	c.choose(&settings)
	c.confine(&settings)
	return c.cfg.Host.Create(ctx, engine.NewSession{ID: event.SessionID(c.cfg.NewID()), Workspace: c.cfg.Flags.Cwd, Settings: settings}, c.options())
}

// A joined chat is one whose history has been read, and whose events are not sent yet.
type joined struct {
	*chat
	past    []event.Record
	records iter.Seq2[event.Record, error] // after past
}

// join attaches the connection to a chat for a session, which has another one as long as that is not entered. After an error
// the chat is left.
func (c *conn) join(ctx context.Context, s *session, eng *engine.Session) (*joined, error) {
	names := dialect.NamesIn(eng, profile, toolset.Get())
	pump := dialect.NewPump(eng, c.out)
	info := dialect.ClientInfo(c.name)
	info.RunFollowUps = true
	info.NoApprovals, info.NoQuestions = true, true
	head := eng.State().Head // attaching may begin a turn with a prompt that waits
	ch := &chat{eng: eng, pump: pump, client: c.cfg.Host.Attach(eng, info), done: make(chan struct{})}
	j := &joined{chat: ch}
	j.records = names.All(eng.Log().Follow(pump.Context(), head+1, event.KindTextDelta, event.KindThinkingDelta, event.KindRetryStarted, event.KindCompactionStarted,
		event.KindSyncStarted, event.KindSyncEnded, event.KindServerChanged))
	if err := pump.CatchUp(ctx, ch.client, names, head, func(rec event.Record) { j.past = append(j.past, rec) }); err != nil {
		return nil, err
	}
	pump.Replies, pump.Moved = c.replies, func(err error) { c.refuseWaiting(s, ch, err) }
	pump.Skip(head)
	return j, nil
}

// enter puts a chat into a session and begins to send its events to the client.
func (c *conn) enter(s *session, j *joined) {
	ch, v := j.chat, c.newView(s.id, j.eng)
	for _, rec := range j.past { // messages get their ids in the order in which the client is sent them
		v.render(rec)
	}
	s.mu.Lock()
	s.view, s.chat = v, ch
	s.mu.Unlock()
	c.pumping.Go(func() {
		defer close(ch.done)
		err := ch.pump.Run(s.announced(v, j.records), func(rec event.Record) [][]byte {
			s.mu.Lock()
			defer s.mu.Unlock()
			return c.lines(v.render(rec)...)
		})
		if err != nil {
			c.cfg.Log.Error("events lost", "session", s.id, "error", err)
		}
	})
}

// announced yields records, and closes view.begun when the lines of a CompactionStarted are in the
// outbox. That record has no number by which the pump could order a reply after it.
func (s *session) announced(v *view, records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for rec, err := range records {
			if !yield(rec, err) {
				return
			}
			if _, ok := rec.Event.(event.CompactionStarted); ok {
				s.compactionAnnounced(v)
			}
		}
	}
}

func (s *session) compactionAnnounced(v *view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.begun != nil {
		close(v.begun)
		v.begun = nil
	}
}

func (c *conn) newView(session string, eng *engine.Session) *view {
	return &view{session: session, label: labelReady, updated: stamp(c.cfg.Now()), context: surroundings{
		nextMessage: func() int { return int(c.messages.Add(1)) },
		blob:        eng.Log().Blob,
		pinned:      func() int { return pinnedTokens(eng.Context().SystemPrompt()) },
		schema:      func() int { return schemaTokens(eng.Context().Tools()) },
		provider:    c.providerOf,
		mentioned: func(prompt string) []string {
			names, _ := c.mentioned(prompt)
			return names
		},
		window: func(model string) int {
			info, _ := c.cfg.Host.ModelInfo(model)
			return info.ContextWindow
		},
	}}
}

// takeBack takes the prompts and steers of the session out of the chat, which is about to be closed, and returns the prompts. Those of
// other clients, and of other sessions which may have the same chat, wait there: until resume is called if the chat goes on after all.
func (s *session) takeBack(log *slog.Logger) (waiting []event.Queued, resume func()) {
	resume = dialect.HoldQueue(s.chat.eng)
	if err := s.chat.client.WithdrawSteers(); err != nil && !errors.Is(err, engine.ErrClosed) {
		log.Warn("steers not removed", "session", s.id, "error", err)
	}
	waiting, err := s.chat.eng.Queue().TakeFollowUps(func(id event.PromptID) bool {
		_, sent := s.sent[id]
		return sent
	})
	if err != nil && !errors.Is(err, engine.ErrClosed) {
		log.Warn("queue not cleared", "session", s.id, "error", err)
	}
	return waiting, resume
}

// leave takes the chat out of the session, interrupting what runs, and waits until all its events are sent.
func (s *session) leave(ctx context.Context, log *slog.Logger) {
	if err := s.chat.pump.Leave(ctx, s.chat.client); err != nil {
		log.Error("chat not saved", "session", s.id, "error", err)
	}
	<-s.chat.done
}

// sendState answers with the session as it is at that moment: a compaction of a chat that has
// left the session is sent by another pump, whose answer must not come in between.
func (c *conn) sendState(id jsonrpc.ID, s *session) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return [][]byte{resultLine(id, c.lockedState(s))}
}

// stateOf returns the session as clients see it now: after everything that was sent to them.
func (c *conn) stateOf(s *session) SessionState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.lockedState(s)
}

func (c *conn) lockedState(s *session) SessionState {
	st, eng := s.view.state(), s.chat.eng.State()
	st.CreatedAt = stamp(s.created)
	st.Queue = s.queue(eng)
	if s.compressing != nil && !st.Pending {
		st.Pending, st.StatusLabel = true, labelCompressing
	}
	if eng.Turns > 0 {
		id := string(eng.ID)
		st.ActiveSessionID = &id
	}
	return st
}

// busy reports whether another prompt has to wait.
func (s *session) busy(st engine.State) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return st.Busy || len(st.FollowUps) > 0 || s.compressing != nil
}

func (s *session) queue(st engine.State) []QueueItem {
	items := []QueueItem{}
	for _, q := range st.FollowUps {
		item := QueueItem{ID: string(q.ID), Text: textOf(q.Blocks), Images: []ImageInput{}, EnqueuedAt: stamp(s.sent[q.ID])}
		if q.Failure != nil {
			_ = json.Unmarshal(q.Sent, &item.Images) // sessionSend wrote it
		}
		for _, b := range q.Blocks {
			if b.Image != nil {
				item.Images = append(item.Images, ImageInput{Path: b.Image.Name, MimeType: b.Image.MIME})
			}
		}
		items = append(items, item)
	}
	return items
}

// sessionSend starts a turn, or queues one (session.send). Later failures are
// events.
func (c *conn) sessionSend(ctx context.Context, id jsonrpc.ID, s *session, p *SessionSendParams) {
	eng := s.chat.eng
	turn := c.cfg.NewID()
	images, badImage := diskImages(c.cfg.Flags.Cwd, c.cfg.Flags.Home, c.cfg.Now()).resolveAll(p.Images)
	s.chat.pump.Around(func() [][]byte {
		if err := eng.Moved(); err != nil { // its queue is not the reason
			return [][]byte{c.failLine(id, err)}
		}
		busy := s.busy(eng.State())
		if busy && !p.Enqueue {
			return [][]byte{c.failLine(id, errBusy)}
		}
		release, err := eng.Lease() // for the change and the prompt
		if err != nil {
			return [][]byte{c.failLine(id, err)}
		}
		defer release()
		if eng.State().Profile == profile { // a session of another protocol has the model that its clients have selected
			if err := s.chat.client.Change(c.choose); err != nil {
				return [][]byte{c.failLine(id, err)}
			}
		}
		prompt := c.promptOf(turn, labelled(p.Text, len(p.Images)), images)
		if badImage != nil {
			prompt.Failure = &event.Failure{Kind: engine.FailPrompt, Message: badImage.Error()}
			prompt.Sent = value(withoutData(p.Images))
		}
		queued := false
		if busy {
			s.sent[prompt.ID] = c.cfg.Now()
			err = s.chat.client.FollowUp(ctx, prompt)
			queued = slices.ContainsFunc(eng.State().FollowUps, func(q event.Queued) bool { return q.ID == prompt.ID })
		} else {
			_, err = s.chat.client.Prompt(ctx, prompt)
		}
		if err != nil {
			return [][]byte{c.failLine(id, err)}
		}
		lines := [][]byte{resultLine(id, SessionSendResult{s.id, turn, true, queued})}
		if queued {
			label := "queued (" + grouped(len(eng.State().FollowUps)) + ")"
			lines = append(lines, c.lines(signal{name: EventSessionStatus, params: SessionStatus{s.id, true, label, ""}})...)
		}
		return lines
	})
}

func (c *conn) promptOf(turn, text string, images []image) engine.Prompt {
	p := engine.Prompt{ID: event.PromptID(turn), Text: text}
	for _, img := range images {
		p.Images = append(p.Images, model.Image{MIME: img.MimeType, Data: img.data, Name: img.Path})
	}
	if names, more := c.mentioned(text); len(names) > 0 {
		p.Tuning.Instructions = more
	}
	return p
}

// refuseWaiting reports the prompts that wait in a chat that has moved to another process.
func (c *conn) refuseWaiting(s *session, ch *chat, err error) {
	for _, q := range ch.eng.State().FollowUps {
		ch.pump.Reply(c.lines(signal{name: EventError, params: SessionError{s.id, string(q.ID), err.Error()}})...)
	}
}

// sessionSteer talks into the running turn (session.steer).
func (c *conn) sessionSteer(ctx context.Context, id jsonrpc.ID, s *session, p *SessionSteerParams) {
	s.chat.pump.Around(func() [][]byte {
		err := s.chat.client.Steer(ctx, engine.Prompt{Text: p.Text})
		if err != nil && err != engine.ErrIdle {
			return [][]byte{c.failLine(id, err)}
		}
		return [][]byte{resultLine(id, SessionSteerResult{s.id, err == nil})}
	})
}

// sessionVerb is the methods that take nothing but the session.
func (c *conn) sessionVerb(ctx context.Context, r request, s *session) {
	switch r.method {
	case "session.get":
		s.chat.pump.Later(func() [][]byte { return c.sendState(r.id, s) })
	case "session.interrupt":
		c.sessionInterrupt(r.id, s)
	case "session.queue.list":
		c.reply(r.id, SessionQueueListResult{s.id, s.queue(s.chat.eng.State())})
	case "session.queue.clear":
		cleared, err := s.chat.eng.Queue().TakeFollowUps(nil)
		if err != nil {
			c.fail(r.id, err)
			return
		}
		c.reply(r.id, SessionQueueClearResult{s.id, len(cleared)})
	case "history.clear_session":
		if _, err := c.exchange(ctx, s, func() (*engine.Session, error) { return c.newChat(ctx, s.title) }); err != nil {
			c.fail(r.id, err)
			return
		}
		c.reply(r.id, HistoryClearResult{s.id, true})
	}
}

// sessionInterrupt ends the running turn; what waits after it runs (session.interrupt).
func (c *conn) sessionInterrupt(id jsonrpc.ID, s *session) {
	s.chat.pump.Around(func() [][]byte {
		st := s.chat.eng.State()
		s.mu.Lock()
		defer s.mu.Unlock()
		turn := st.Turn != "" && s.view.label != labelInterrupting
		lines := [][]byte{resultLine(id, SessionInterruptResult{s.id, turn || s.compressing != nil})}
		if s.compressing != nil { // its own answer reports the end
			s.compressing()
		}
		if !turn {
			return lines
		}
		s.chat.client.Interrupt()
		s.view.label = labelInterrupting
		return append(lines, c.lines(signal{name: EventSessionStatus, params: SessionStatus{s.id, true, labelInterrupting, ""}})...)
	})
}

// exchange puts another chat into the session. What runs is interrupted, and its end is sent before;
// the prompts that waited are returned.
func (c *conn) exchange(ctx context.Context, s *session, next func() (*engine.Session, error)) ([]event.Queued, error) {
	j, err := c.joinNext(ctx, s, next)
	if err != nil {
		return nil, err
	}
	var waiting []event.Queued
	if !c.cfg.Host.Outlives(s.chat.eng) {
		var resume func()
		waiting, resume = s.takeBack(c.cfg.Log)
		defer resume()
	}
	s.leave(ctx, c.cfg.Log)
	c.enter(s, j)
	return waiting, nil
}

// reopen opens the chat of a session again if another client of the host has ended it. If that fails the request says what it
// misses.
func (c *conn) reopen(s *session) {
	eng := s.chat.eng
	if eng.Ended() == "" || eng.Moved() != nil {
		return
	}
	if _, err := c.exchange(c.life, s, func() (*engine.Session, error) { return c.open(c.life, eng.ID()) }); err != nil {
		c.cfg.Log.Warn("chat not opened again", "session", s.id, "error", err)
	}
}

// joinNext joins the chat that next opens.
func (c *conn) joinNext(ctx context.Context, s *session, next func() (*engine.Session, error)) (*joined, error) {
	eng, err := next()
	if err != nil {
		return nil, err
	}
	return c.join(ctx, s, eng)
}
