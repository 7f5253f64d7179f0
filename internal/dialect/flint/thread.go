package flint

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains chapter 2 of the document: threads.

// A thread is a session that this connection has open.
type thread struct {
	id      string
	session *engine.Session
	pump    *dialect.Pump
	view    *view // the pump's
	client  *engine.Client
	names   dialect.Names
	waiting []question // of a turn that ran when the thread was joined; nil once they are sent
}

// follow begins to send the client the events of a session. What waits for an answer is in thread.waiting. After an error
// the session is left.
func (c *conn) follow(ctx context.Context, s *engine.Session) (*thread, error) {
	st, info := s.State(), dialect.ClientInfo(c.name)
	info.NoQuestions = true
	t := &thread{id: string(st.ID), session: s, pump: dialect.NewPump(s, c.out), client: c.cfg.Host.Attach(s, info)}
	t.view = c.newView(t.id, s.Log().Blob)
	t.view.workspace, t.view.dir, t.view.spent = st.Workspace, st.Dir(), usage(st.Usage)
	t.names = dialect.NamesIn(s, profile, toolset.Get())
	t.pump.Others = true
	records := s.Log().Follow(t.pump.Context(), st.Head+1, event.KindTextDelta, event.KindThinkingDelta, event.KindToolOutput,
		event.KindToolProgress, event.KindRetryStarted, event.KindServerChanged, event.KindContextEstimated,
		event.KindSyncStarted, event.KindSyncEnded)
	if st.Elsewhere || st.Turn != "" {
		t.view.others = st.Elsewhere
		t.view.spent = usage{}
		if err := t.pump.CatchUp(ctx, t.client, t.names, st.Head, t.catchUp); err != nil {
			return nil, err
		}
	}
	t.pump.Skip(st.Head)
	c.threads[t.id] = t
	c.pumping.Go(func() {
		if err := t.pump.Run(t.names.All(records), func(rec event.Record) [][]byte { return c.render(t, rec) }); err != nil {
			c.cfg.Log.Error("events lost", "thread", t.id, "error", err)
		}
	})
	return t, nil
}

func (c *conn) newView(id string, blob func(string) ([]byte, error)) *view {
	return &view{thread: id, shapes: c.cfg.Flags.Shapes, blob: blob}
}

// catchUp brings the view up to a record of before the thread was joined, and stores what waits for an answer.
func (t *thread) catchUp(rec event.Record) {
	for _, message := range t.view.render(rec) {
		switch m := message.(type) {
		case question:
			t.waiting = append(t.waiting, m)
		case answered:
			t.waiting = slices.DeleteFunc(t.waiting, func(q question) bool { return q.approval == m.approval })
		}
	}
}

// askWaiting returns the questions that waited when the thread was joined and still do.
func (c *conn) askWaiting(t *thread) (lines [][]byte) {
	approvals, _ := t.session.Waiting()
	for _, q := range t.waiting {
		if !t.view.others && slices.ContainsFunc(approvals, func(a event.ApprovalAsked) bool { return a.ID == q.approval }) {
			lines = append(lines, c.ask(t, q))
		}
	}
	t.waiting = nil
	return lines
}

// ask returns the request to the client for a question.
func (c *conn) ask(t *thread, q question) []byte {
	id := c.asked.Add(asked{t, q.approval})
	return frames.AppendRequest(nil, id, q.method, marshal(q.params))
}

// render returns the lines to the client for a record.
func (c *conn) render(t *thread, rec event.Record) [][]byte {
	var lines [][]byte
	for _, message := range t.view.render(rec) {
		switch m := message.(type) {
		case notice:
			if !c.silent[m.method] {
				lines = append(lines, m.encode())
			}
		case question:
			if !c.server.Closing() && !t.view.others { // else it is denied: there is no client, or it is the turn of another process, which asks its own
				lines = append(lines, c.ask(t, m))
			}
		case answered:
			c.asked.Drop(asked{t, m.approval})
		}
	}
	return lines
}

// opened returns the thread of an id that the connection has open; nil: there is none, or another client has ended it.
func (c *conn) opened(id string) *thread {
	t := c.threads[id]
	if t != nil && t.session.Ended() != "" && t.session.Moved() == nil {
		delete(c.threads, id)
		if c.last == t {
			c.last = nil
		}
		return nil
	}
	return t
}

// load returns the open thread of an id; one that is only stored is opened. One that another process
// works on is opened only to be followed.
func (c *conn) load(ctx context.Context, id string, follow bool) (*thread, error) {
	if t := c.opened(id); t != nil {
		return t, nil
	}
	s, err := c.cfg.Host.Open(ctx, event.SessionID(id), Options())
	if err != nil {
		return nil, err
	}
	if !follow && s.State().Elsewhere {
		err = s.Save()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	t, err := c.follow(ctx, s)
	if err != nil {
		return nil, err
	}
	if !follow {
		t.pump.At(func(uint64) [][]byte { return c.askWaiting(t) })
	}
	return t, nil
}

// fillSettings gives the settings of a new thread what it has if its client says nothing.
func (c *conn) fillSettings(s *event.Settings) {
	s.Model = cmp.Or(s.Model, c.defaultModel())
	s.Asking = cmp.Or(s.Asking, c.cfg.Flags.Asking)
	if s.Sandbox.Kind == "" {
		s.Sandbox = c.cfg.Flags.Sandbox
	}
}

func (c *conn) defaultModel() string { return cmp.Or(c.cfg.Flags.Model, c.cfg.Host.DefaultModel()) }

// threadStart makes a thread (thread/start).
func (c *conn) threadStart(ctx context.Context, id jsonrpc.ID, p *ThreadStartParams) {
	settings := event.Settings{SystemPrompt: p.SystemPrompt, Instructions: p.SystemPromptAppend}
	c.fillSettings(&settings)
	dir := c.cfg.Flags.Cwd
	err := c.override(&settings, overrides{p.Model, p.Cwd, p.ApprovalPolicy, p.Sandbox})
	if err != nil {
		c.fail(id, "", err)
		return
	}
	if settings.Dir != "" {
		dir, settings.Dir = settings.Dir, ""
	}
	c.keepConfig(&settings, p.Config)
	created := engine.NewSession{ID: event.SessionID(c.cfg.NewID()), Workspace: dir, Settings: settings}
	s, err := c.cfg.Host.Create(ctx, created, Options())
	if err == nil {
		s.Servers().Use(serversOf(p.McpServers))
		if err = s.Save(); err != nil {
			err = errors.Join(err, s.Close(ctx))
		}
	}
	var t *thread
	if err == nil {
		t, err = c.follow(ctx, s)
	}
	if err != nil {
		c.fail(id, "", err)
		return
	}
	c.last = t
	shown := c.shown(s.State().Summary)
	c.reply(id, ThreadStartResult{shown, shown.ModelProvider, shown.Model, shown.Cwd})
	c.announce(notice{"thread/started", ThreadStartedNotification{shown}})
}

// threadResume opens a stored thread again and sends its past (thread/resume). While another
// process works on it the client sees that turn to its end, and the overrides wait until then.
func (c *conn) threadResume(ctx context.Context, id jsonrpc.ID, p *ThreadResumeParams) {
	t, err := c.load(ctx, p.ThreadID, true)
	if err == nil {
		err = t.session.Log().Refresh()
	}
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	var shown Thread
	t.pump.At(func(head uint64) [][]byte {
		if shown, err = c.resume(ctx, t, p, head); err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		started := shown
		started.Turns = []Turn{}
		lines := [][]byte{resultLine(id, ThreadResumeResult{shown, shown.Model, shown.Cwd})}
		if n := (notice{"thread/started", ThreadStartedNotification{started}}); !c.silent[n.method] {
			lines = append(lines, n.encode())
		}
		return append(lines, c.askWaiting(t)...)
	})
	if err == nil {
		c.last = t
	}
}

// resume changes the settings that the request has, and returns the thread with its turns, up to the
// record that the client received last: later ones are sent as events.
func (c *conn) resume(ctx context.Context, t *thread, p *ThreadResumeParams, head uint64) (Thread, error) {
	given := overrides{p.Model, p.Cwd, p.ApprovalPolicy, p.Sandbox}
	trial := t.session.State().Settings
	if err := c.override(&trial, given); err != nil {
		return Thread{}, err
	}
	err := t.client.Override(func(s *event.Settings) {
		s.SystemPrompt = cmp.Or(p.SystemPrompt, s.SystemPrompt)
		s.Instructions = cmp.Or(p.SystemPromptAppend, s.Instructions)
		_ = c.override(s, given) // it was tried above
		c.keepConfig(s, p.Config)
	})
	if err != nil {
		return Thread{}, err
	}
	if p.McpServers != nil {
		t.session.Servers().Use(serversOf(p.McpServers))
	}
	st := t.session.State()
	shown := c.shown(st.Summary)
	shown.Model, shown.Cwd = cmp.Or(st.Settings.Model, c.defaultModel()), st.Dir() // with overrides that wait
	if p.ExcludeTurns {
		return shown, nil
	}
	turns, err := c.newView(t.id, t.session.Log().Blob).history(t.names.All(upTo(head, t.session.Log().Records(ctx))))
	shown.Turns = turns
	return shown, err
}

// threadList pages the stored threads (thread/list).
func (c *conn) threadList(ctx context.Context, id jsonrpc.ID, p *ThreadListParams) {
	q := engine.Query{Archived: p.Archived, Limit: 100, Cursor: p.Cursor}
	if p.Limit != nil {
		q.Limit = *p.Limit
	}
	page, err := c.cfg.Host.List(ctx, q)
	if err != nil {
		c.fail(id, "", err)
		return
	}
	result := ThreadListResult{Data: []Thread{}, NextCursor: page.Next}
	for _, s := range page.Sessions {
		result.Data = append(result.Data, c.shown(s))
	}
	c.reply(id, result)
}

// threadArchive takes a thread off the list (thread/archive). A running turn is interrupted.
func (c *conn) threadArchive(ctx context.Context, id jsonrpc.ID, p *ThreadArchiveParams) {
	archive := func(s *event.Settings) { s.Archived = true }
	t := c.opened(p.ThreadID)
	if t == nil {
		s, err := c.cfg.Host.Open(ctx, event.SessionID(p.ThreadID), Options())
		if err == nil {
			err = errors.Join(s.Join(engine.ClientInfo{Name: c.name}).Change(archive), s.Close(ctx))
		}
		if err != nil {
			c.fail(id, p.ThreadID, err)
			return
		}
		c.reply(id, Empty{})
		return
	}
	t.pump.Around(func() [][]byte {
		t.client.Interrupt()
		if err := errors.Join(t.client.Change(archive), t.session.Save()); err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		return [][]byte{resultLine(id, Empty{})}
	})
}

// shown returns a thread as clients see it, without turns.
func (c *conn) shown(s engine.Summary) Thread {
	model := cmp.Or(s.Model, c.defaultModel())
	info, _ := c.cfg.Host.DescribeModel(model)
	return Thread{
		ID: string(s.ID), Preview: s.Title, ModelProvider: info.Provider, CreatedAt: s.Created.Unix(),
		Model: model, Cwd: s.Workspace, UpdatedAt: s.Updated.Unix(), CLIVersion: c.cfg.Version, Source: "appServer", Turns: []Turn{},
	}
}

// overrides are the settings that several requests can give; what is zero is not given.
type overrides struct {
	model   string
	cwd     AbsolutePath
	policy  ApprovalPolicy
	sandbox *SandboxPolicy
}

// override changes the settings, or nothing.
func (c *conn) override(settings *event.Settings, o overrides) error {
	changed := *settings
	if o.model != "" {
		if _, plausible := c.cfg.Host.DescribeModel(o.model); !plausible {
			return unknownModel(o.model)
		}
		changed.Model = o.model
	}
	if o.cwd != "" {
		dir, err := c.cfg.Host.Folder(string(o.cwd))
		if err != nil {
			return invalidParams("cwd must be an existing folder")
		}
		changed.Dir = dir
	}
	if o.policy != "" || o.sandbox != nil {
		engine.DecideBySandbox(&changed)
	}
	if o.policy != "" {
		changed.Asking = askings[o.policy]
	}
	if o.sandbox != nil {
		changed.Sandbox = o.sandbox.settings()
	}
	*settings = changed
	return nil
}

var askings = map[ApprovalPolicy]approval.Asking{
	PolicyNever: approval.AskNever, PolicyOnRequest: approval.AskOnRequest,
	PolicyUnlessTrusted: approval.AskUnlessTrusted, PolicyAlways: approval.AskAlways,
}

var sandboxes = map[string]approval.SandboxKind{
	SandboxFullAccess: approval.SandboxNone, SandboxReadOnly: approval.SandboxReadOnly,
	SandboxWorkspaceWrite: approval.SandboxWorkspace, SandboxExternal: approval.SandboxExternal,
}

// settings returns the sandbox as sessions have it. Roots that do not exist stay as they are.
func (p SandboxPolicy) settings() approval.Sandbox {
	s := approval.Sandbox{Kind: sandboxes[p.Type], Network: p.network() && p.Type != SandboxFullAccess}
	for _, root := range p.WritableRoots {
		dir := filepath.Clean(string(root))
		if real, err := engine.Workspace(dir); err == nil {
			dir = real
		}
		s.Roots = append(s.Roots, dir)
	}
	return s
}

// policyOf and sandboxOf are the settings as clients see them.
func policyOf(a approval.Asking) ApprovalPolicy {
	for policy, asking := range askings {
		if asking == a {
			return policy
		}
	}
	return PolicyUnlessTrusted
}

func sandboxOf(s approval.Sandbox) SandboxPolicy {
	for name, kind := range sandboxes {
		if kind != s.Kind {
			continue
		}
		p := SandboxPolicy{Type: name}
		for _, root := range s.Roots {
			p.WritableRoots = append(p.WritableRoots, AbsolutePath(root))
		}
		switch {
		case name == SandboxWorkspaceWrite:
			p.NetworkAccess = s.Network
		case name == SandboxExternal && s.Network:
			p.NetworkAccess = NetworkEnabled
		case name == SandboxExternal:
			p.NetworkAccess = NetworkRestricted
		}
		return p
	}
	return SandboxPolicy{Type: SandboxReadOnly}
}

// keepConfig keeps the values of options that a thread was given; what is no option, or not
// one of its values, is ignored here.
func (c *conn) keepConfig(settings *event.Settings, given ThreadConfig) {
	all := c.selectors(settings.Model)
	for _, s := range all {
		value := c.chosen[c.adapterOf(settings.Model)][s.id]
		if _, has := settings.Options[s.id]; s.agent != nil && value != "" && !has {
			s.agent.Choose(settings, value)
		}
	}
	for id, value := range given.Values {
		s, known := c.adapterOf(settings.Model).find(id)
		if i := slices.IndexFunc(all, func(s selector) bool { return s.id == id }); !known && i >= 0 {
			s, known = all[i], true
		}
		var text string
		if !known || value.Kind() != jsontext.KindString || json.Unmarshal(value, &text) != nil {
			continue
		}
		if _, ok := s.find(text); ok {
			if settings.Options == nil {
				settings.Options = map[string]jsontext.Value{}
			}
			settings.Options[id] = value.Clone()
		}
	}
}
