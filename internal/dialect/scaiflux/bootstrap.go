package scaiflux

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file is what happens before ready.

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
	rules, err := c.project.denyRules()
	if err != nil {
		return err
	}
	flags := &c.cfg.Flags
	flags.MaxTokens = cmp.Or(flags.MaxTokens, max(0, c.project.MaxTokens))
	flags.MaxIterations = cmp.Or(flags.MaxIterations, max(0, c.project.MaxIterations), DefaultIterations)
	if c.session, err = c.openSession(ctx, workspace); err != nil {
		return err
	}
	c.view = newView(rules)
	c.pump = dialect.NewPump(c.session, c.out)
	c.out.Put(encode(c.ready()))
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

// knownGadgets is the project's gadgets, sorted, without those that do not exist.
func (c *conn) knownGadgets() []string {
	var known []string
	for _, t := range shownTools() {
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
			Model: cmp.Or(f.Model, c.project.Model, c.cfg.Credentials.Model),
		}
		return host.Create(ctx, engine.NewSession{Workspace: workspace, Settings: settings}, options(f))
	}
	id, err := c.resumed(ctx, workspace)
	if err != nil {
		return nil, err
	}
	s, err := host.Open(ctx, id, options(f))
	if err != nil {
		return nil, fmt.Errorf("--resume %s: %w", f.Resume, err)
	}
	err = s.Change(func(settings *event.Settings) {
		settings.Mode = string(f.Mode)
		if f.Model != "" {
			settings.Model = f.Model
		}
	})
	return s, err
}

// resumed is the session that --resume means.
func (c *conn) resumed(ctx context.Context, workspace string) (event.SessionID, error) {
	want, host := c.cfg.Flags.Resume, c.cfg.Host
	if want == "latest" {
		page, err := host.List(ctx, engine.Query{Workspace: workspace, Limit: 1})
		if err != nil {
			return "", fmt.Errorf("--resume latest: %w", err)
		}
		if len(page.Sessions) == 0 {
			return "", fmt.Errorf("--resume latest: no saved session in this workspace")
		}
		return page.Sessions[0].ID, nil
	}
	if host.Exists(ctx, event.SessionID(want)) {
		return event.SessionID(want), nil
	}
	return c.resumedByPrefix(ctx, workspace, want)
}

func (c *conn) resumedByPrefix(ctx context.Context, workspace, want string) (event.SessionID, error) {
	page, err := c.cfg.Host.List(ctx, engine.Query{Workspace: workspace, Search: want, Limit: 1000})
	if err != nil {
		return "", fmt.Errorf("--resume %s: %w", want, err)
	}
	var found []event.SessionID
	for _, s := range page.Sessions {
		if strings.HasPrefix(string(s.ID), want) {
			found = append(found, s.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("--resume %s: no such session in this workspace", want)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("--resume %s: %d sessions begin with it", want, len(found))
}

func (c *conn) ready() Ready {
	st, info := c.session.State(), c.modelInfo()
	return Ready{
		Type: "ready", Protocol: Protocol, Version: c.cfg.Version, SessionID: string(c.session.ID()),
		Model: info.name, Mode: st.Settings.Mode, Tools: c.toolNames(),
		ContextWindow: info.window, MaxTokens: info.maxTokens, Gadgets: gadgets(st.Settings.ToolGroups),
	}
}
