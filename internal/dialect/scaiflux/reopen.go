package scaiflux

import (
	"context"

	"parley.dev/parley/internal/dialect"
)

// reopen opens the session again if another client of the host has ended it, unless a slash command works with it. Its controller
// is sent what is new from then on.
func (c *conn) reopen(ctx context.Context) error {
	if c.session.Ended() == "" || c.session.Moved() != nil || c.slashes.holds() {
		return nil
	}
	next, err := c.cfg.Host.Open(ctx, c.session.ID(), Options(c.cfg.Flags))
	if err != nil {
		return err
	}
	if err := c.pump.Leave(ctx, c.client); err != nil {
		c.cfg.Log.Error("session not saved", "session", c.session.ID(), "error", err)
	}
	<-c.pumped // nothing uses the view
	session, client, pump, records, view := c.session, c.client, c.pump, c.records, c.view
	c.session, c.pump = next, dialect.NewPump(next, c.out)
	c.show(newView(view.rules))
	c.view.settings = next.State().Settings
	waiting, err := c.join(ctx)
	if err != nil {
		c.session, c.client, c.pump, c.records = session, client, pump, records
		c.show(view)
		return err
	}
	c.pump.Begin(waiting...)
	c.send()
	return nil
}

// show makes a view that of the controller.
func (c *conn) show(v *view) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.view = v
}
