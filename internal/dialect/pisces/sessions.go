package pisces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file opens sessions: new ones, those of a file, of an id, and copies.
// What the file of a session needs and its journal would not know otherwise is kept in the
// settings.

// newSession returns an empty session; file is where its file is, "" where it belongs.
func (c *conn) newSession(ctx context.Context, file, parent string) (*engine.Session, error) {
	n := c.fresh(file, parent)
	n.Workspace = c.cfg.Flags.Cwd
	return c.cfg.Host.Create(ctx, n, c.options())
}

// fresh returns a new session of the process's own choices.
func (c *conn) fresh(file, parent string) engine.NewSession {
	now := c.cfg.Now()
	n := engine.NewSession{ID: sessionfile.NewID(now, c.cfg.Random())}
	if file == "" {
		file = filepath.Join(c.folder(), sessionfile.Name(now, n.ID))
	}
	n.Settings = event.Settings{Model: c.modelAtStart(), SystemPrompt: c.cfg.Flags.SystemPrompt}
	n.Settings.Thinking = model.Thinking(c.thinkingAtStart(n.Settings.Model))
	c.place(&n.Settings, file, parent)
	return n
}

// place gives the settings of a new session what all sessions of the protocol have: no call needs an approval, and what only this
// protocol knows of a session.
func (c *conn) place(s *event.Settings, file, parent string) {
	c.confine(s)
	s.Options = map[string]jsontext.Value{}
	for name, value := range map[string]string{sessionfile.OptionFile: file, sessionfile.OptionParent: parent} {
		if value != "" {
			s.Options[name] = rawjson.Quoted(value)
		}
	}
}

// confine makes calls need no approval, and confines them as the command line says.
func (c *conn) confine(s *event.Settings) {
	s.Mode, s.Asking, s.Sandbox, s.RefusedApprovals = "", approval.AskNever, c.cfg.Flags.Sandbox, nil
}

func (c *conn) modelAtStart() string {
	if c.cfg.Flags.Model != "" {
		return c.cfg.Flags.Model
	}
	return c.defaultModel()
}

func (c *conn) thinkingAtStart(model string) message.ThinkingLevel {
	level := c.cfg.Flags.Thinking
	if level == "" {
		level = message.ThinkingLevel(c.cfg.Settings.oneOf(settingThinking, "high", "off", "minimal", "low", "medium", "xhigh"))
	}
	info, _ := c.cfg.Host.DescribeModel(model)
	return clamp(level, levelsOf(info))
}

// folder returns where the files of sessions are that work here.
func (c *conn) folder() string {
	f := c.cfg.Flags
	if f.SessionDir != "" {
		return c.absolute(f.SessionDir)
	}
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		temp = ""
	}
	return sessionfile.Folder(f.Sessions, f.Cwd, f.Home, temp)
}

// first returns the session that the command line asks for.
func (c *conn) first(ctx context.Context) (*engine.Session, error) {
	f := c.cfg.Flags
	switch {
	case f.Fork != "":
		source, err := c.named(ctx, f.Fork)
		if err != nil {
			return nil, err
		}
		defer source.Close(ctx) //nolint:errcheck // nothing of it was changed
		return c.fork(ctx, source, 0)
	case f.Session != "":
		return c.named(ctx, f.Session)
	case f.Continue:
		return c.last(ctx)
	}
	return c.newSession(ctx, "", "")
}

// named returns the session of a file, or of the beginning of an id: of one that works here, else of any.
func (c *conn) named(ctx context.Context, name string) (*engine.Session, error) {
	if sessionfile.IsPath(name) {
		return c.open(ctx, name)
	}
	if eng, err := c.cfg.Host.Session(event.SessionID(name)); err == nil { // it may have no prompt yet, so that it is in no list
		return c.openHere(ctx, name, eng.ID(), eng.State().Workspace)
	}
	for _, workspace := range []string{c.cfg.Flags.Cwd, ""} {
		if file := c.fileNamed(name); workspace == "" && file != "" {
			return c.open(ctx, file) // of another program, or without any prompt
		}
		page, err := c.cfg.Host.List(ctx, engine.Query{Workspace: workspace, Search: name})
		if err != nil {
			return nil, err
		}
		for _, found := range page.Sessions {
			if !strings.HasPrefix(strings.ToLower(string(found.ID)), strings.ToLower(name)) {
				continue
			}
			return c.openHere(ctx, name, found.ID, found.Workspace)
		}
	}
	return nil, fmt.Errorf("Session %q not found.", name) //nolint:staticcheck // the protocol's words
}

// openHere opens the session that a name means, if its workspace is the folder in which the client works.
func (c *conn) openHere(ctx context.Context, name string, id event.SessionID, workspace string) (*engine.Session, error) {
	if workspace != c.cfg.Flags.Cwd {
		return nil, fmt.Errorf("Session %q is in another project (%s).", name, workspace) //nolint:staticcheck // the protocol's words
	}
	return c.openID(ctx, id, "")
}

// fileNamed returns the session file of an id that begins so; "": there is none.
func (c *conn) fileNamed(name string) string {
	entries, _ := os.ReadDir(c.folder()) // mostly there is none
	for _, e := range entries {
		_, id, ok := strings.Cut(e.Name(), "_")
		if ok && strings.HasSuffix(id, ".jsonl") && strings.HasPrefix(strings.ToLower(id), strings.ToLower(name)) {
			return filepath.Join(c.folder(), e.Name())
		}
	}
	return ""
}

// last returns the session that was last used here; a new one if there is none.
func (c *conn) last(ctx context.Context) (*engine.Session, error) {
	if c.cfg.Flags.SessionDir != "" {
		if newest := newestFile(c.cfg.Flags.SessionDir); newest != "" {
			return c.open(ctx, newest)
		}
		return c.newSession(ctx, "", "")
	}
	page, err := c.cfg.Host.List(ctx, engine.Query{Workspace: c.cfg.Flags.Cwd, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(page.Sessions) == 0 {
		return c.newSession(ctx, "", "")
	}
	return c.openID(ctx, page.Sessions[0].ID, "")
}

// newestFile returns the session file in a folder that was last changed; "" if there is none.
func newestFile(folder string) (newest string) {
	files, _ := filepath.Glob(filepath.Join(folder, "*.jsonl")) // no pattern of ours is bad
	var last os.FileInfo
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && info.Mode().IsRegular() && (last == nil || info.ModTime().After(last.ModTime())) {
			newest, last = file, info
		}
	}
	return newest
}

// switchTo opens the session of a path or of an id.
func (c *conn) switchTo(ctx context.Context, name string) (*engine.Session, error) {
	if id := event.SessionID(name); !sessionfile.IsPath(name) {
		if _, err := c.cfg.Host.Session(id); err == nil || c.cfg.Host.Exists(ctx, id) {
			return c.openID(ctx, id, "")
		}
	}
	return c.open(ctx, name)
}

// openID opens a session that is stored; file is where its file is, "" where it was. What the session is does not change, but for
// what the command line has flags for.
func (c *conn) openID(ctx context.Context, id event.SessionID, file string) (*engine.Session, error) {
	if now := c.session; now != nil && now.eng.ID() == id {
		return now.eng, nil
	}
	eng, err := c.cfg.Host.Open(ctx, id, c.options())
	if err != nil {
		return nil, err
	}
	if c.cfg.Flags.Confine {
		set := dialect.SetPolicy
		if c.session != nil {
			set = dialect.SwitchPolicy
		}
		err = set(eng, profile, "--sandbox", c.confine)
	}
	if err == nil {
		err = c.chooseAtStart(eng)
	}
	if err != nil {
		return nil, errors.Join(err, eng.Close(ctx))
	}
	if file == "" {
		file = sessionfile.Option(eng.State().Settings, sessionfile.OptionFile)
	}
	c.files[id] = cmp.Or(file, filepath.Join(c.folder(), sessionfile.Name(eng.State().Summary.Created, id)))
	return eng, nil
}

// chooseAtStart gives a session that no other client has open the model and the level of thinking of the command line.
func (c *conn) chooseAtStart(eng *engine.Session) error {
	f := c.cfg.Flags
	if f.Model == "" && f.Thinking == "" || c.cfg.Host.Holders(eng.ID()) > 1 {
		return nil
	}
	client := eng.Join(engine.ClientInfo{Name: profile})
	defer client.Leave()
	return client.Change(func(s *event.Settings) {
		s.Model = cmp.Or(f.Model, s.Model)
		if f.Thinking != "" {
			s.Thinking = model.Thinking(c.thinkingAtStart(s.Model))
		}
	})
}

// fileOf returns where the file of a session is; "": nothing says so.
func (c *conn) fileOf(eng *engine.Session) string {
	return cmp.Or(c.files[eng.ID()], sessionfile.Option(eng.State().Settings, sessionfile.OptionFile))
}

// keep stores with a session, before it receives a prompt, where its file is, and a model that can be called in place of one that
// cannot. It writes nothing if the session has both.
func (c *conn) keep(s *session) error {
	path, settings := s.path(), s.eng.State().Settings
	named := path == "" || path == sessionfile.Option(settings, sessionfile.OptionFile)
	if named && c.cfg.Host.CheckModel(settings.Model) == nil {
		return nil // a change would need the lease
	}
	return s.client.Change(func(settings *event.Settings) {
		if !named {
			if settings.Options == nil {
				settings.Options = map[string]jsontext.Value{}
			}
			settings.Options[sessionfile.OptionFile] = rawjson.Quoted(path)
		}
		c.choosable(settings)
	})
}

// open returns the session of a file. One that we have and know all of is opened; what another
// program has written is imported; a file that is not there is one of a new session.
func (c *conn) open(ctx context.Context, path string) (*engine.Session, error) {
	path = c.absolute(path)
	if now := c.session; now != nil && now.path() == path { // perhaps it is not written yet
		return now.eng, nil
	}
	header, entries, err := sessionfile.Read(c.life, path, filepath.Join(c.cfg.Flags.Agent, "blobs"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.newSession(ctx, path, "")
	case err != nil:
		return nil, err
	case header.ID == "":
		return c.overEmpty(ctx, path)
	}
	id := event.SessionID(header.ID)
	if now := c.session; now != nil && now.eng.ID() == id {
		return now.eng, nil
	}
	if c.cfg.Host.Exists(ctx, id) {
		known, err := sessionfile.ReadHistory(c.cfg.Host.Read(ctx, id), c.surroundings(nil))
		if err != nil {
			return nil, err
		}
		if known.Has(entries) {
			return c.openID(ctx, id, path)
		}
		if !sessionfile.HistoryOf(entries).Has(known.Entries) {
			return nil, fmt.Errorf("session file %s: %w, and lacks some of ours", path, sessionfile.ErrAhead)
		}
		return c.replaceBy(ctx, id, path, sessionfile.Import(header, entries))
	}
	return c.importFile(ctx, id, path, sessionfile.Import(header, entries))
}

// replaceBy makes a session anew of its file, which another program has gone on with: what
// the file has is all that there is then. A file that cannot be imported leaves the session as
// it is.
func (c *conn) replaceBy(ctx context.Context, id event.SessionID, path string, file sessionfile.Imported) (*engine.Session, error) {
	trial, err := c.importFile(ctx, sessionfile.NewID(c.cfg.Now(), c.cfg.Random()), path, file)
	if err != nil {
		return nil, err
	}
	if err := trial.Close(ctx); err != nil {
		return nil, err
	}
	for _, old := range []event.SessionID{trial.ID(), id} {
		if err := c.cfg.Host.Remove(ctx, old); err != nil {
			return nil, err
		}
	}
	return c.importFile(ctx, id, path, file)
}

// openIn returns the session of a file in a folder, or, where there is no file, a new one there.
func (c *conn) openIn(ctx context.Context, folder, file string) (*engine.Session, error) {
	if file != "" {
		return c.open(ctx, file)
	}
	n := c.fresh("", "")
	file = filepath.Join(folder, sessionfile.Name(c.cfg.Now(), n.ID))
	c.place(&n.Settings, file, "")
	n.Workspace = c.cfg.Flags.Cwd
	return c.cfg.Host.Create(ctx, n, c.options())
}

// overEmpty returns a new session in a file that is there and empty.
func (c *conn) overEmpty(ctx context.Context, path string) (*engine.Session, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > 0 {
		return nil, fmt.Errorf("%s is not a session file", path)
	}
	return c.newSession(ctx, path, "")
}

// sessionfile.Import makes a session of what another program has written.
func (c *conn) importFile(ctx context.Context, id event.SessionID, path string, file sessionfile.Imported) (*engine.Session, error) {
	n := engine.NewSession{ID: id, Workspace: file.Workspace, Settings: file.Settings, Created: file.Created}
	if info, err := os.Stat(n.Workspace); err != nil || !info.IsDir() || !filepath.IsAbs(n.Workspace) {
		n.Workspace = c.cfg.Flags.Cwd // the folder is gone
	}
	c.place(&n.Settings, path, file.Parent)
	if n.Settings.Model == "" {
		n.Settings.Model = c.modelAtStart()
	}
	records := func(yield func(event.Record, error) bool) {
		for _, rec := range file.Records {
			if !yield(rec, nil) {
				return
			}
		}
	}
	eng, err := c.cfg.Host.Import(ctx, n, records, nil, c.options())
	if err != nil {
		return nil, err
	}
	return eng, eng.Join(engine.ClientInfo{}).Change(func(s *event.Settings) { // the records have changed them
		c.place(s, path, file.Parent)
		s.Thinking = cmp.Or(s.Thinking, model.Thinking(message.ThinkingOff))
		c.choosable(s)
	})
}

// choosable gives a session a model that can be asked, where its own cannot.
func (c *conn) choosable(s *event.Settings) {
	if err := c.cfg.Host.CheckModel(s.Model); err == nil {
		return
	}
	c.cfg.Log.Warn("model of the session not available", "model", s.Model)
	s.Model = c.modelAtStart()
}

func (c *conn) absolute(path string) string {
	return sessionfile.Absolute(path, c.cfg.Flags.Cwd, c.cfg.Flags.Home)
}

// fork returns a new session with what a session has before the message of record before; 0: all.
func (c *conn) fork(ctx context.Context, source *engine.Session, before uint64) (*engine.Session, error) {
	n := c.fresh("", c.fileOf(source))
	settings := source.State().Settings
	settings.Name, settings.Options = "", n.Settings.Options
	n.Settings = settings
	return c.cfg.Host.Fork(ctx, source.ID(), before, n, c.options())
}

// branching finds the message of an entry; next makes the session that has what was before it.
func (c *conn) branching(ctx context.Context, entry string) (data Branched, next func() (*engine.Session, error)) {
	source := c.session
	h, err := source.history(ctx)
	if err != nil {
		return data, func() (*engine.Session, error) { return nil, err }
	}
	seq, said, ok := h.UserMessage(entry)
	if !ok {
		return data, func() (*engine.Session, error) { return nil, engine.ErrBadHead }
	}
	return Branched{Text: said}, func() (*engine.Session, error) { return c.fork(ctx, source.eng, seq) }
}
