package plain

import (
	"context"
	"crypto/rand"
	"slices"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// An ownPrompt is the last prompt, until its turn has ended or it is taken out of the queue. The zero value is none.
type ownPrompt struct {
	id     string
	queued bool // it was in the queue
	gone   bool // and is not any more
	begun  bool // its turn has begun
}

// apply notes what a record says of the prompt.
func (p *ownPrompt) apply(e record.Event) {
	if p.id == "" {
		return
	}
	switch e := e.(type) {
	case record.QueueChanged:
		in := slices.ContainsFunc(e.FollowUps, func(q record.Queued) bool { return q.ID == p.id })
		p.gone = p.queued && !in
		p.queued = p.queued || in
	case record.UserMessage:
		p.begun = p.begun || e.ID == p.id
	case record.StatusChanged:
		if p.gone && !p.begun && e.Status == record.StatusIdle { // another client has taken it out
			*p = ownPrompt{}
		}
	}
}

// turnEnded notes the end of a turn.
func (p *ownPrompt) turnEnded() {
	if p.begun {
		*p = ownPrompt{}
	}
}

// prompt sends what the user wrote.
func (c *console) prompt(text string) {
	if c.session == "" {
		settings := c.o.Settings
		c.do(func(ctx context.Context) func() {
			opened, err := c.host.Create(ctx, link.NewSession{Workspace: c.o.Workspace, Settings: settings})
			return func() {
				if err != nil {
					c.report(err)
					c.failed = true
					return
				}
				c.begin(opened, nil)
				c.prompt(text)
			}
		})
		return
	}
	session, p := c.session, client.Prompt{ID: rand.Text(), Text: text, IfBusy: "queue"}
	c.pending = ownPrompt{id: p.ID}
	c.do(func(ctx context.Context) func() {
		err := c.host.Prompt(ctx, session, p)
		return func() {
			switch {
			case err == nil:
				return
			case client.IsKind(err, "budget"):
				c.out.fact("error", budgetText(err.Error()))
			default:
				c.report(err)
			}
			c.pending, c.failed = ownPrompt{}, true
		}
	})
}
