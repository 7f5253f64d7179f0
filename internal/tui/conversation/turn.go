package conversation

import (
	"strings"

	"parley.dev/parley/record"
)

// turnStarted begins a turn.
func (c *Conversation) turnStarted(rec record.Record) {
	c.state.Turn, c.state.Status = rec.Turn, record.StatusThinking
}

// turnEnded ends a turn, with an item if it did not complete.
func (c *Conversation) turnEnded(rec record.Record, e record.TurnEnded) {
	c.stepEnded()
	s := &c.state
	s.Turn, s.Status, s.Context, s.Last = "", record.StatusIdle, e.Context, &e
	if e.Window > 0 {
		s.Window = e.Window
	}
	c.turns, c.cost = sum(c.turns, e.Usage), c.cost+e.Cost
	s.Usage, s.Cost = c.turns, c.cost
	if len(s.Waiting) > 0 {
		s.Status = record.StatusWaiting
	}
	c.closePlan(rec.Turn)
	if e.Reason != record.TurnCompleted {
		c.add(rec, Item{Key: "end " + rec.Turn, Kind: End, End: &e, Client: e.Client})
	}
}

// sum returns the usage of two parts.
func sum(a, b record.Usage) record.Usage {
	return record.Usage{
		Input: a.Input + b.Input, Output: a.Output + b.Output, CacheRead: a.CacheRead + b.CacheRead,
		CacheWrite: a.CacheWrite + b.CacheWrite, Thinking: a.Thinking + b.Thinking, Estimated: a.Estimated || b.Estimated,
	}
}

// userMessage shows what the user said.
func (c *Conversation) userMessage(rec record.Record, e record.UserMessage) {
	var texts []string
	for _, b := range e.Blocks {
		if b.Kind == record.BlockText {
			texts = append(texts, b.Text)
		}
	}
	c.add(rec, Item{
		Key: recordKey(rec), Kind: You, Text: strings.Join(texts, "\n"), Blocks: e.Blocks, Via: e.Via, Client: e.Client,
	})
}

func planKey(turn string) string { return "plan " + turn }

// planUpdated shows the plan: one item for each turn.
func (c *Conversation) planUpdated(rec record.Record, e record.PlanUpdated) {
	key := planKey(rec.Turn)
	if !c.update(key, func(i *Item) { i.Plan = e.Items }) {
		c.add(rec, Item{Key: key, Kind: Plan, Plan: e.Items, Open: true})
	}
}

// closePlan ends the changes of the plan of a turn.
func (c *Conversation) closePlan(turn string) {
	if i := c.list.find(planKey(turn)); i != nil && i.Open {
		c.update(i.Key, func(i *Item) { i.Open = false })
	}
}
