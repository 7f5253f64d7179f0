package acp

import (
	"cmp"
	"context"
	"errors"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A session is one that the connection has open.
type session struct {
	conn     *conn
	id       string
	eng      *engine.Session
	client   *engine.Client
	pump     *dialect.Pump
	names    dialect.Names
	done     chan struct{} // closed when the pump has ended
	endsTurn bool          // part has ended its turn
	release  func()        // of the follow-ups that stop holds; nil: it was not called

	clientIO clientIO // what tools use of the client; conn.mu guards it

	mu                 lock.Mutex // guards the rest
	view               *view
	prompts            map[event.PromptID]*prompt      // whose turns have not ended
	startedBySteer     event.PromptID                  // of the last turn that a steer has begun; "": none has
	permissionRequests map[event.ApprovalID]jsonrpc.ID // open requests for permission
	formRequests       map[event.QuestionID]jsonrpc.ID // open forms
	exitRequests       map[string]openRequest          // for the ends of commands in terminals that are not shown yet
	cancelledPrompts   []jsonrpc.ID                    // prompts that are answered as cancelled after that of the running turn
	commandList        []byte                          // the line with the commands that the client was sent last; nil: none
	closed             bool                            // nothing is sent any more
	compactionStart    chan struct{}                   // closed when the beginning of a compaction was sent; nil: nothing waits for it

	jobs jobs
}

// transientKinds are the records that are not stored and are shown all the same.
var transientKinds = []event.Kind{
	event.KindTextDelta, event.KindThinkingDelta, event.KindToolOutput, event.KindToolProgress, event.KindTerminalCreated,
	event.KindTasksProgressed, event.KindSubagentRecorded, event.KindRetryStarted,
	event.KindCompactionStarted, event.KindServerChanged, event.KindContextEstimated,
}

// newSession makes a session (session/new).
func (c *conn) newSession(ctx context.Context, id jsonrpc.ID, p *NewSessionParams) {
	c.awaitModels(ctx)
	s, err := c.create(ctx, p)
	if err != nil {
		c.fail(id, err)
		return
	}
	s.announce(id)
}

// announce answers a request that made the session. A fork has a title already.
func (s *session) announce(id jsonrpc.ID) {
	s.pump.Around(func() [][]byte {
		lines := [][]byte{
			s.conn.resultLine(id, NewSessionResult{s.id, s.modes(), s.configOptions()}), s.commandsLine(),
		}
		if st := s.eng.State(); shownTitle(st) != "" {
			lines = append(lines, s.updateLine(SessionInfoUpdate{"session_info_update", shownTitle(st), stamp(st.Summary.Updated)}))
		}
		return lines
	})
}

func (c *conn) create(ctx context.Context, p *NewSessionParams) (*session, error) {
	if err := c.signInRequired(); err != nil {
		return nil, err
	}
	dir, err := c.folder(p.Cwd)
	if err != nil {
		return nil, err
	}
	settings := event.Settings{Model: cmp.Or(c.cfg.Flags.Model, c.cfg.Host.DefaultModel())}
	setMode(&settings, cmp.Or(c.cfg.Flags.Mode, modeAsk))
	eng, err := c.cfg.Host.Create(ctx, engine.NewSession{Workspace: dir, Settings: settings}, c.options(p.AdditionalDirectories))
	if err != nil {
		return nil, err
	}
	eng.Servers().Use(serversOf(p.MCPServers))
	return c.enter(eng), nil
}

// folder returns the folder of a session.
func (c *conn) folder(cwd string) (string, error) {
	dir, err := c.cfg.Host.Folder(cwd)
	if err != nil && !errors.Is(err, engine.ErrOutside) {
		return "", invalidMember("cwd", "must be an existing folder")
	}
	return dir, err
}

// sessionOf returns a session of the connection that is not attached yet.
func (c *conn) sessionOf(eng *engine.Session) *session {
	return &session{
		conn: c, id: string(eng.ID()), eng: eng, names: dialect.NamesIn(eng, profile, toolset.Get()),
		prompts: map[event.PromptID]*prompt{}, permissionRequests: map[event.ApprovalID]jsonrpc.ID{}, formRequests: map[event.QuestionID]jsonrpc.ID{},
		exitRequests: map[string]openRequest{},
	}
}

// enter makes an open session one of the connection, and begins to send its records.
func (c *conn) enter(eng *engine.Session) *session {
	s := c.sessionOf(eng)
	s.attach()
	s.view = s.newView(c.caps)
	s.view.client = s.client.Info().N
	s.follow(eng.State().Head)
	s.adapt()
	return s
}

// attach makes the session one of the connection.
func (s *session) attach() {
	s.client = s.conn.cfg.Host.Attach(s.eng, s.conn.client)
	s.conn.sessions[s.eng.ID()] = s
}

// options returns the options of the sessions of the connection, with further folders.
func (c *conn) options(folders []string) engine.Options {
	o := Options()
	o.Plugins = append(o.Plugins, forms{c})
	o.Roots = folders
	return o
}

// adapt applies the capabilities of the client to the session.
func (s *session) adapt() {
	s.useClient()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.caps, s.view.terminals = s.conn.caps, s.clientIO.terminals
}

// follow sends the records after head, which the view has, after lines that come first.
func (s *session) follow(head uint64, first ...[]byte) {
	s.pump, s.done = dialect.NewPump(s.eng, s.conn.out), make(chan struct{})
	s.pump.Replies, s.pump.Moved = s.conn.replies, s.answerMoved
	records := s.eng.Log().FollowPaced(s.pump.Context(), head+1, s.pace, transientKinds...)
	s.mu.Lock()
	s.view.since = s.eng.State().Head
	s.mu.Unlock()
	s.pump.Skip(head)
	s.pump.Begin(first...)
	pump, done := s.pump, s.done
	s.conn.working.Go(func() {
		defer close(done)
		if err := pump.Run(s.names.All(s.reported(records)), s.render); err != nil {
			s.conn.cfg.Log.Error("events lost", "session", s.id, "error", err)
		}
	})
}

// render returns the lines for a record.
func (s *session) render(rec event.Record) [][]byte {
	lines := s.viewed(rec)
	if e, ok := rec.Event.(event.TerminalCreated); ok {
		lines = appendLine(lines, s.takeExitRequest(e.Terminal))
	}
	return lines
}

// viewed returns the lines that the view has for a record.
func (s *session) viewed(rec event.Record) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages := s.view.render(rec)
	if state := s.conn.edition.state(rec.Event); state != nil && s.view.turn != nil {
		messages = append([]any{state}, messages...)
	}
	return s.linesOf(messages)
}

// linesOf returns the lines of messages of the view, and registers the requests among them.
func (s *session) linesOf(messages []any) [][]byte {
	var lines [][]byte
	for _, message := range messages {
		switch m := message.(type) {
		case approvalRequest:
			lines = appendLine(lines, s.requestPermission(m))
		case approvalEnd:
			lines = appendLine(lines, s.withdrawPermission(m.approval))
		case elicitation:
			lines = appendLine(lines, s.elicit(m))
		case questionEnd:
			lines = appendLine(lines, s.withdrawQuestion(m.question))
		case livePrompt:
			for _, update := range s.conn.edition.livePrompt(m) {
				lines = appendLine(lines, s.updateLine(update))
			}
		case turnEnd:
			lines = append(lines, s.answerPrompt(m)...)
			s.goOn()
			s.renewCommands()
		default:
			lines = appendLine(lines, s.updateLine(m))
		}
	}
	return lines
}

// send sends updates that no record causes, after what was sent before.
func (s *session) send(updates ...any) {
	var lines [][]byte
	for _, update := range updates {
		lines = appendLine(lines, s.updateLine(update))
	}
	s.pump.Reply(lines...)
}

// busy reports whether a turn runs that ends with the connection, or has a prompt of it to answer.
func (s *session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.prompts) > 0 || s.eng.State().Busy && !s.conn.cfg.Host.Outlives(s.eng)
}

// part removes the session from the connection, and ends its turn and its waiting prompts: requests do not find it any
// more. Call leave then.
func (s *session) part() {
	delete(s.conn.sessions, s.eng.ID())
	if s.busy() || s.client.EndsSession() {
		s.endsTurn = true
		s.stop()
	}
}

// stop is interrupt for a connection that leaves: until resume is called, no turn begins of what others have queued.
func (s *session) stop() {
	if s.release == nil {
		s.release = dialect.HoldQueue(s.eng)
	}
	s.interrupt()
}

// resume undoes stop, unless the session was closed.
func (s *session) resume() {
	if s.release != nil {
		s.release()
	}
}

// leave ends what the connection has of the session. It waits until the client has been sent the end of what part ended.
func (s *session) leave(ctx context.Context) {
	if s.endsTurn {
		_ = s.eng.Wait(ctx)
	}
	s.jobs.wait()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	if err := s.pump.Leave(ctx, s.client); err != nil {
		s.conn.cfg.Log.Error("session not saved", "session", s.id, "error", err)
	}
	s.resume()
	<-s.done
	s.answerRest()
}

// answerMoved answers the prompts whose turns have not begun in a session that has moved: they begin in another process, if
// at all.
func (s *session) answerMoved(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.answerCancelled()
	for id := range s.prompts {
		if p := s.take(id); p.cancelled {
			lines = append(lines, s.cancelledLine(p.id))
		} else {
			lines = append(lines, s.conn.edition.ended(s, p.id, PromptResult{}, s.conn.failureOf(s.id, err)))
		}
	}
	s.pump.Reply(lines...)
}

// answerRest answers the prompts that no end of a turn has answered.
func (s *session) answerRest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.prompts {
		s.cancelledPrompts = append(s.cancelledPrompts, s.take(id).id)
	}
	s.pump.Reply(s.answerCancelled()...)
}
