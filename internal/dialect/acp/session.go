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
	conn   *conn
	id     string
	eng    *engine.Session
	client *engine.Client
	pump   *dialect.Pump
	names  dialect.Names
	done   chan struct{} // closed when the pump has ended

	loading bool // its past is being sent; conn.mu guards it

	mu        lock.Mutex // guards the rest
	view      *view
	prompts   map[event.PromptID]jsonrpc.ID   // not answered yet
	asked     map[event.ApprovalID]jsonrpc.ID // open requests for permission
	cancelled event.TurnID                    // its prompt is answered as cancelled, however it ends
	dropped   []jsonrpc.ID                    // prompts that are answered as cancelled after that of the running turn
}

// transientKinds are the records that are not stored and are shown all the same.
var transientKinds = []event.Kind{
	event.KindTextDelta, event.KindThinkingDelta, event.KindToolOutput, event.KindToolProgress, event.KindTasksProgressed, event.KindSubagentRecorded, event.KindRetryStarted,
	event.KindCompactionStarted, event.KindServerChanged, event.KindContextEstimated,
}

// find returns the session of a request, which was opened before and is not being loaded.
func (c *conn) find(id string) (*session, error) {
	s := c.sessions[event.SessionID(id)]
	switch {
	case s == nil || s.eng.Ended() != "":
		return nil, noSession(id)
	case s.loading:
		return nil, errLoading
	}
	return s, nil
}

// newSession makes a session (session/new).
func (c *conn) newSession(ctx context.Context, id jsonrpc.ID, p *NewSessionParams) {
	s, err := c.create(ctx, p)
	if err != nil {
		c.fail(id, err)
		return
	}
	s.pump.Around(func() [][]byte {
		return [][]byte{
			resultLine(id, NewSessionResult{s.id, s.modes(), s.configOptions()}), updateLine(s.id, s.commandsUpdate()),
		}
	})
}

func (c *conn) create(ctx context.Context, p *NewSessionParams) (*session, error) {
	dir, err := c.folder(p.Cwd)
	if err != nil {
		return nil, err
	}
	settings := event.Settings{Model: cmp.Or(c.cfg.Flags.Model, c.cfg.Host.DefaultModel())}
	setMode(&settings, cmp.Or(c.cfg.Flags.Mode, defaultMode))
	eng, err := c.cfg.Host.Create(ctx, engine.NewSession{Workspace: dir, Settings: settings}, Options())
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

// serversOf returns tool servers as sessions use them.
func serversOf(given []MCPServer) []engine.Server {
	var servers []engine.Server
	for _, s := range given {
		servers = append(servers, engine.Server{
			Name: s.Name, Command: s.Command, Args: s.Args, Env: valuesOf(s.Env), URL: s.URL, Headers: valuesOf(s.Headers),
		})
	}
	return servers
}

func valuesOf(list []NameAndValue) map[string]string {
	values := map[string]string{}
	for _, v := range list {
		values[v.Name] = v.Value
	}
	return values
}

// enter makes an open session one of the connection, and begins to send its records.
func (c *conn) enter(eng *engine.Session) *session {
	s := &session{
		conn: c, id: string(eng.ID()), eng: eng, client: c.cfg.Host.Attach(eng, c.client), names: dialect.NamesIn(eng, profile, toolset()),
		prompts: map[event.PromptID]jsonrpc.ID{}, asked: map[event.ApprovalID]jsonrpc.ID{},
	}
	c.sessions[eng.ID()] = s
	s.view = s.newView()
	s.follow(eng.State().Head)
	return s
}

// follow sends the records after head, which the view has.
func (s *session) follow(head uint64) {
	s.pump, s.done = dialect.NewPump(s.eng, s.conn.out), make(chan struct{})
	s.pump.Replies = s.conn.replies
	records := s.eng.Log().FollowPaced(s.pump.Context(), head+1, s.pace, transientKinds...)
	s.pump.Skip(head)
	pump, done := s.pump, s.done
	s.conn.working.Go(func() {
		defer close(done)
		if err := pump.Run(s.names.All(records), s.render); err != nil {
			s.conn.cfg.Log.Error("events lost", "session", s.id, "error", err)
		}
	})
}

// render returns the lines for a record.
func (s *session) render(rec event.Record) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.linesOf(s.view.render(rec))
}

// linesOf returns the lines of messages of the view, and remembers what the client is asked with them.
func (s *session) linesOf(messages []any) [][]byte {
	var lines [][]byte
	for _, message := range messages {
		switch m := message.(type) {
		case ask:
			lines = appendLine(lines, s.ask(m))
		case answered:
			lines = appendLine(lines, s.withdraw(m.approval))
		case turnOver:
			lines = append(lines, s.answerPrompt(m)...)
		default:
			lines = append(lines, updateLine(s.id, m))
		}
	}
	return lines
}

// appendLine appends a line, unless it is nil.
func appendLine(lines [][]byte, line []byte) [][]byte {
	if line == nil {
		return lines
	}
	return append(lines, line)
}

// send sends updates that no record causes, after what was sent before.
func (s *session) send(updates ...any) {
	lines := make([][]byte, len(updates))
	for i, update := range updates {
		lines[i] = updateLine(s.id, update)
	}
	s.pump.Reply(lines...)
}

// leave ends what the connection has of the session: its turn, its waiting prompts, its records.
func (s *session) leave(ctx context.Context) {
	s.interrupt()
	if s.eng.EndsNext() {
		_ = s.eng.Wait(ctx)
	}
	delete(s.conn.sessions, s.eng.ID())
	if err := s.pump.Leave(ctx, s.client); err != nil {
		s.conn.cfg.Log.Error("session not saved", "session", s.id, "error", err)
	}
	<-s.done
}
