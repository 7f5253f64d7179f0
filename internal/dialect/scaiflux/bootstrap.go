package scaiflux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains what happens before ready.

// bootstrap opens the session and says ready.
func (c *conn) bootstrap(ctx context.Context) error {
	workspace, err := engine.Workspace(c.cfg.Flags.Workspace)
	if err != nil {
		return err
	}
	if c.project, err = ReadProjectConfig(workspace); err != nil {
		return err
	}
	c.warnUnread()
	rules, _, unreadable := c.project.denyRules()
	for _, problem := range unreadable {
		c.cfg.Log.Warn("permission policy not used", "error", problem)
	}
	flags := &c.cfg.Flags
	flags.MaxTokens = cmp.Or(flags.MaxTokens, c.projectLimit("max_tokens", c.project.MaxTokens))
	flags.MaxIterations = cmp.Or(flags.MaxIterations, c.projectLimit("max_iterations", c.project.MaxIterations), DefaultIterations)
	if c.session, err = c.openSession(ctx, workspace); err != nil {
		return err
	}
	c.view = newView(rules)
	c.view.settings = c.session.State().Settings
	c.pump = dialect.NewPump(c.session, c.out)
	waiting, err := c.join(ctx)
	if err != nil {
		return err
	}
	for _, line := range append([][]byte{encode(c.ready())}, waiting...) {
		c.out.Put(line)
	}
	return nil
}

// DefaultIterations is how many tool rounds a turn may have where nothing says otherwise.
const DefaultIterations = 20

func (c *conn) warnUnread() {
	for name := range c.project.Unread {
		if !knownElsewhere[name] {
			c.cfg.Log.Warn("unknown key in "+configName, "key", name)
		}
	}
}

// projectLimit returns a limit of the project; 0: it has none. One that cannot be one is reported
// and not used: the file belongs to another program, which may know what it means.
func (c *conn) projectLimit(name string, limit *int) int {
	switch {
	case limit == nil:
		return 0
	case *limit < 1:
		c.cfg.Log.Warn(name+" in "+configName+" is less than 1 and not used", name, *limit)
		return 0
	}
	return *limit
}

// knownGadgets returns the project's gadgets, sorted, without those that do not exist.
func (c *conn) knownGadgets() []string {
	var known []string
	for _, t := range shownTools.Get() {
		if slices.Contains(c.project.Gadgets, t.Group) {
			known = append(known, t.Group)
		}
	}
	for _, name := range c.project.Gadgets {
		if !slices.Contains(known, name) {
			c.cfg.Log.Warn("unknown gadget in "+configName, "gadget", name)
		}
	}
	slices.Sort(known)
	return slices.Compact(known)
}

func (c *conn) openSession(ctx context.Context, workspace string) (*engine.Session, error) {
	f, host := c.cfg.Flags, c.cfg.Host
	if f.Resume == "" {
		settings := event.Settings{
			Mode: string(f.Mode), ToolGroups: c.knownGadgets(),
			Asking: approval.AskAlways, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}, // for other protocols: the mode is only shown
			Model: cmp.Or(f.Model, c.project.Model, c.cfg.Credentials.Model),
		}
		return host.Create(ctx, engine.NewSession{Workspace: workspace, Settings: settings}, Options(f))
	}
	id, err := host.Find(ctx, workspace, f.Resume)
	if err != nil {
		return nil, fmt.Errorf("--resume %s: %w", f.Resume, err)
	}
	s, err := host.Open(ctx, id, Options(f))
	if err != nil {
		return nil, fmt.Errorf("--resume %s: %w", f.Resume, err)
	}
	if f.SetMode {
		err = dialect.SetPolicy(s, profile, "--permission-mode", func(settings *event.Settings) { settings.Mode = string(f.Mode) })
	}
	if err == nil {
		err = c.move(s, workspace)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

// move gives a session that no other client has open the model of the command line, and the folder if the session is one of this protocol.
func (c *conn) move(s *engine.Session, workspace string) error {
	st, model := s.State(), cmp.Or(c.cfg.Flags.Model, s.State().Settings.Model)
	moves := st.Profile == profile && st.Dir() != workspace
	if c.cfg.Host.Holders(s.ID()) > 1 || !moves && model == st.Settings.Model {
		return nil
	}
	client := s.Join(engine.ClientInfo{Name: profile})
	defer client.Leave()
	return client.Change(func(settings *event.Settings) {
		if settings.Model = model; moves {
			settings.Dir = workspace
		}
	})
}

// shownMode returns the permission mode that clients are shown. That of a session whose mode does not decide about calls may be none
// of this protocol.
func (c *conn) shownMode() string { return string(shownMode(c.session.State().Settings)) }

func shownMode(settings event.Settings) approval.Mode {
	if mode, err := approval.ParseMode(settings.Mode); err == nil {
		return mode
	}
	return cmp.Or(engine.ModeOf(settings), approval.Prompt)
}

func (c *conn) ready() Ready {
	st, info := c.session.State(), c.modelInfo()
	return Ready{
		Type: "ready", Protocol: Protocol, Version: c.cfg.Version, SessionID: string(c.session.ID()),
		Model: info.name, Mode: c.shownMode(), Tools: c.toolNames(),
		ContextWindow: info.window, MaxTokens: info.maxTokens, Gadgets: gadgets(st.Settings.ToolGroups),
	}
}
