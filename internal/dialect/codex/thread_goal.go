package codex

import (
	"context"
	"errors"
	"reflect"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains the goals of threads, as clients set and read them.

func goalMethods() []handler {
	return []handler{
		on("thread/goal/set", (*conn).goalSet, checkGoalSet),
		on("thread/goal/get", (*conn).goalGet),
		on("thread/goal/clear", (*conn).goalClear),
	}
}

// goalSet sets the goal of a thread, or changes it (thread/goal/set). A loaded thread goes on with an active goal.
func (c *conn) goalSet(ctx context.Context, id jsonrpc.ID, p *ThreadGoalSetParams) {
	open, _ := c.cfg.Host.Session(event.SessionID(p.ThreadID))
	var answer ThreadGoalSetResponse
	c.change(ctx, id, p.ThreadID, &answer, func(s *engine.Session, client *engine.Client) error {
		goal, err := c.setGoal(s, client, p)
		if err == nil {
			answer.Goal = goal.shown(p.ThreadID)
		}
		return err
	})
	if answer.Goal.ThreadID == "" {
		return
	}
	c.post(p.ThreadID, "thread/goal/updated", ThreadGoalUpdatedNotification{ThreadID: p.ThreadID, Goal: answer.Goal})
	if open != nil {
		c.goOn(open)
	}
}

// setGoal changes the goal of an open session, and stores it.
func (c *conn) setGoal(s *engine.Session, client *engine.Client, p *ThreadGoalSetParams) (*goal, error) {
	st := s.State()
	switch {
	case s.Options().Profile != profile:
		return nil, errNotOurs
	case extraOf(st.Settings).Ephemeral:
		return nil, errEphemeral
	}
	var set *goal
	var refused error
	err := client.Change(editExtra(func(x *extra) {
		if set, refused = withGoal(x.Goal, p, tokensOf(st.Usage), c.cfg.Now()); refused == nil {
			x.Goal = set
		}
	}))
	if err = errors.Join(err, refused); err != nil {
		return nil, err
	}
	return set, s.Save()
}

// goalGet returns the goal of a thread, which need not be loaded (thread/goal/get).
func (c *conn) goalGet(ctx context.Context, id jsonrpc.ID, p *ThreadGoalGetParams) {
	var settings event.Settings
	var used model.Usage
	if s, err := c.cfg.Host.Session(event.SessionID(p.ThreadID)); err == nil {
		st := s.State()
		settings, used = st.Settings, st.Usage
	} else {
		h, err := c.storedHistory(ctx, p.ThreadID, outline)
		if err != nil {
			c.fail(id, p.ThreadID, noThread(p.ThreadID))
			return
		}
		settings, used = h.view.settings, h.view.total
	}
	answer := ThreadGoalGetResponse{}
	if g := extraOf(settings).Goal; g != nil {
		shown := g.counted(used, c.cfg.Now()).shown(p.ThreadID)
		answer.Goal = &shown
	}
	c.reply(id, answer)
}

// goalClear removes the goal of a thread (thread/goal/clear). A turn that the thread has begun by itself ends with its step.
func (c *conn) goalClear(ctx context.Context, id jsonrpc.ID, p *ThreadGoalClearParams) {
	var answer ThreadGoalClearResponse
	c.change(ctx, id, p.ThreadID, &answer, func(s *engine.Session, client *engine.Client) error {
		if err := client.Change(editExtra(func(x *extra) { answer.Cleared, x.Goal = x.Goal != nil, nil })); err != nil || !answer.Cleared {
			return err
		}
		return s.Save()
	})
	if answer.Cleared {
		c.post(p.ThreadID, "thread/goal/cleared", ThreadGoalClearedNotification{p.ThreadID})
	}
}

// goOn begins the next turn of the goal of a thread, if it has one.
func (c *conn) goOn(s *engine.Session) {
	if c.cfg.PromptsOnly {
		return
	}
	if err := s.Join(engine.ClientInfo{}).Continue(); err != nil {
		c.cfg.Log.Error("goal not continued", "thread", s.ID(), "error", err)
	}
}

// showGoal returns the notification of the goal of a thread that was opened, if it has one.
func (c *conn) showGoal(t *thread) [][]byte {
	st := t.session.State()
	g := extraOf(st.Settings).Goal
	if g == nil {
		return nil
	}
	now := g.counted(st.Usage, c.cfg.Now())
	return c.renderGoal(t, nil, &now)
}

// renderGoal returns the notifications of a change of the goal.
func (c *conn) renderGoal(t *thread, old, now *goal) [][]byte {
	if now == nil {
		if old == nil {
			return nil
		}
		return c.announce("thread/goal/cleared", ThreadGoalClearedNotification{t.id})
	}
	if old != nil && reflect.DeepEqual(old.shown(t.id), now.shown(t.id)) {
		return nil
	}
	n := ThreadGoalUpdatedNotification{ThreadID: t.id, Goal: now.shown(t.id)}
	if t.view.turn != nil {
		n.TurnID = nullString(t.view.turn.id)
	}
	return c.announce("thread/goal/updated", n)
}
