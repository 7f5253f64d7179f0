package scaiflux

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
		return host.Create(ctx, engine.NewSession{Workspace: workspace, Settings: settings}, Options(f))
	}
	id, err := host.Find(ctx, workspace, f.Resume)
	if err != nil {
		return nil, fmt.Errorf("--resume %s: %w", f.Resume, err)
	}
	o := Options(f)
	o.Dir = workspace
	s, err := host.Open(ctx, id, o)
	if err != nil {
		return nil, fmt.Errorf("--resume %s: %w", f.Resume, err)
	}
	if s.Options().Profile != profile || host.Holders(id) > 1 { // it stays as its other clients have it
		return s, nil
	}
	err = s.Join(engine.ClientInfo{}).Change(func(settings *event.Settings) {
		settings.Mode = string(f.Mode)
		if f.Model != "" {
			settings.Model = f.Model
		}
	})
	return s, err
}

func (c *conn) ready() Ready {
	st, info := c.session.State(), c.modelInfo()
	return Ready{
		Type: "ready", Protocol: Protocol, Version: c.cfg.Version, SessionID: string(c.session.ID()),
		Model: info.name, Mode: st.Settings.Mode, Tools: c.toolNames(),
		ContextWindow: info.window, MaxTokens: info.maxTokens, Gadgets: gadgets(st.Settings.ToolGroups),
	}
}
