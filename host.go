package parley

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/app/parts"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/credentials"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/record"
)

// A Host has a state folder and opens sessions. Its methods are safe for concurrent use.
type Host struct {
	app     *app.App
	o       Options
	options engine.Options // of sessions

	mu     sync.Mutex
	open   map[*engine.Session]*Session
	closed bool
}

// Open returns a host with these options. It reads the configuration and opens the state folder; models are called, and
// programs started, when a session needs them. The error names the option or the setting that cannot be used, and is ErrNoModel if
// Options.Model cannot be called; a tool with the name of a built-in one is an error of Create. Close the host.
func Open(o Options) (*Host, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	script, err := o.script()
	if err != nil {
		return nil, err
	}
	getenv, err := o.environment()
	if err != nil {
		return nil, err
	}
	settings, err := o.settings(getenv)
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	o.Name, o.Mode = cmp.Or(o.Name, "go"), Mode(settings.PermissionMode)
	a, err := app.New(settings, app.Options{
		Parts: parts.All(), Version: version(), Sharing: &engine.Sharing{Left: engine.EndWhenLeft, HandOver: true}, Credentials: credentials.Files(),
		Script: script, Getenv: getenv, Embedded: true, Log: o.Logger,
	})
	if err != nil {
		return nil, err
	}
	if o.Model != "" {
		if err := a.Host.CheckModel(o.Model); err != nil {
			a.Close()
			return nil, fmt.Errorf("Options.Model: %w", public(err))
		}
	}
	return &Host{
		app: a, o: o, options: native.Options(app.Toolset(o.Answer != nil || o.Attended)), open: map[*engine.Session]*Session{},
	}, nil
}

// version returns the version of this module in the program.
func version() string {
	const path = "parley.dev/parley"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}

// A NewSession is what a session begins with. Only Workspace is required.
type NewSession struct {
	Workspace    string // an existing folder; relative to the current one, or absolute
	ID           string // "": one is made up from the time
	Name         string // for the user; ""
	Model        string // provider/model-id; "": Options.Model
	Thinking     string // a level of reasoning that the model has; "": its default
	Mode         Mode   // "": Options.Mode
	SystemPrompt string // in place of the built-in one; "": that
	Instructions string // after the system prompt; "": none
}

// Create makes a session. It is on disk with its first prompt. ErrExists, ErrNoModel, ErrClosed.
func (h *Host) Create(ctx context.Context, n NewSession) (*Session, error) {
	if n.Workspace == "" {
		return nil, errors.New("NewSession.Workspace is required")
	}
	settings := record.Settings{
		Name: n.Name, Model: n.Model, Thinking: n.Thinking, Mode: string(cmp.Or(n.Mode, h.o.Mode)), SystemPrompt: n.SystemPrompt, Instructions: n.Instructions,
	}
	if err := h.checkSettings(record.Settings{}, settings); err != nil {
		return nil, err
	}
	if n.ID != "" && h.app.Host.Exists(ctx, event.SessionID(n.ID)) {
		return nil, public(engine.ErrExists)
	}
	eng, err := h.app.Host.Create(ctx, engine.NewSession{ID: event.SessionID(n.ID), Workspace: n.Workspace, Settings: internalSettings(settings)}, h.options)
	if err != nil {
		return nil, public(err)
	}
	return h.add(ctx, eng)
}

// Open opens a session that is on disk, as it was left: a turn that was cut by the end of a process is closed as interrupted.
// Prompts that it had accepted, and that waited for the end of that turn, begin. A session that is open in this host is
// returned as it is. ErrNoSession, ErrInUse, ErrDamaged, ErrClosed.
func (h *Host) Open(ctx context.Context, id string) (*Session, error) {
	eng, err := h.app.Host.Open(ctx, event.SessionID(id), h.options)
	if err != nil {
		return nil, public(err)
	}
	return h.add(ctx, eng)
}

// add returns the session of an open session of the engine, which is one for all callers.
func (h *Host) add(ctx context.Context, eng *engine.Session) (*Session, error) {
	s, known, err := h.enter(eng)
	if known || err != nil {
		_ = eng.Close(ctx) // the session has it open already, or the first error reports why
	}
	return s, err
}

// enter returns the session of eng, and whether there was one.
func (h *Host) enter(eng *engine.Session) (s *Session, known bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, false, ErrClosed
	}
	if s := h.open[eng]; s != nil {
		return s, true, nil
	}
	s, err = newSession(h, eng)
	if err != nil {
		return nil, false, err
	}
	h.open[eng] = s
	return s, false, nil
}

// forget removes a session that was closed.
func (h *Host) forget(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, s.eng)
}

// A Query is which sessions to list. The zero Query is the first page of all that are not archived.
type Query struct {
	Workspace string // only those of this folder, absolute; "": all
	Archived  bool   // the archived ones in place of the others
	Search    string // a part of the title, the name or the id, in any case; "": all
	Limit     int    // of the page; 0: 50
	Cursor    string // of the page before; "": the first page
}

// List returns a page of sessions, those first that were used last, and the cursor of the next page; "": there is none.
func (h *Host) List(ctx context.Context, q Query) (page []record.Listed, next string, err error) {
	found, err := h.app.Host.List(ctx, engine.Query{Workspace: q.Workspace, Archived: q.Archived, Search: q.Search, Limit: q.Limit, Cursor: q.Cursor})
	if err != nil {
		return nil, "", public(err)
	}
	for _, summary := range found.Sessions {
		line := convert[record.Listed](summary)
		line.Status = record.StatusIdle
		if s, err := h.app.Host.Session(summary.ID); err == nil {
			approvals, questions := s.Waiting()
			line.Open, line.Status, line.Waiting, line.Clients = true, string(s.State().Status), len(approvals)+len(questions), 1
		}
		page = append(page, line)
	}
	return page, found.Next, nil
}

// Remove deletes a session for good. One that is open in this host is closed first. ErrNoSession, ErrInUse.
func (h *Host) Remove(ctx context.Context, id string) error {
	if s := h.find(event.SessionID(id)); s != nil {
		if err := s.Close(ctx); err != nil {
			return err
		}
	}
	return public(h.app.Host.Remove(ctx, event.SessionID(id)))
}

// find returns an open session; nil: it is not open.
func (h *Host) find(id event.SessionID) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	for eng, s := range h.open {
		if eng.ID() == id {
			return s
		}
	}
	return nil
}

// Models returns the names of the models that can be called, sorted, and the default.
func (h *Host) Models() (names []string, standard string) {
	return h.app.Host.ModelNames(), h.app.Host.DefaultModel()
}

// Close closes every session, as [Session.Close] does, and ends all programs that were started for them. It returns the first
// error. A second Close does nothing.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	var open []*Session
	for _, s := range h.open {
		open = append(open, s)
	}
	h.mu.Unlock()
	var closing sync.WaitGroup
	errs := make([]error, len(open))
	for i, s := range open {
		closing.Go(func() { errs[i] = s.Close(ctx) })
	}
	closing.Wait()
	errs = append(errs, public(h.app.Host.Close(ctx))) // those of subagents
	h.app.Close()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSettings returns what is wrong with settings that differ from others.
func (h *Host) checkSettings(before, next record.Settings) error {
	if next.Mode != before.Mode {
		if _, err := approval.ParseMode(next.Mode); err != nil {
			return err
		}
	}
	if next.Model != before.Model && next.Model != "" {
		if err := h.app.Host.CheckModel(next.Model); err != nil {
			return public(err)
		}
	}
	return nil
}

// internalSettings returns settings as the engine has them.
func internalSettings(s record.Settings) event.Settings {
	return event.Settings{
		Name: s.Name, Model: s.Model, Thinking: model.Thinking(s.Thinking), Mode: s.Mode, Dir: s.Dir, Archived: s.Archived,
		SystemPrompt: s.SystemPrompt, Instructions: s.Instructions,
	}
}

// closedError wraps an error of a session that could not be closed.
func closedError(id event.SessionID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("close session %s: %w", id, err)
}
