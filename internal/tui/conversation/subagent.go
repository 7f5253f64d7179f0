package conversation

import "parley.dev/parley/record"

func subagentKey(task string) string { return "subagent " + task }

// subagentStarted shows a subagent.
func (c *Conversation) subagentStarted(rec record.Record, e record.SubagentStarted) {
	c.add(rec, Item{Key: subagentKey(e.Task), Kind: Subagent, Open: true, Subagent: &Work{
		Call: e.Call, Task: e.Task, Agent: e.Agent, Session: e.Session,
	}})
}

// updateWork changes the work of a subagent.
func (c *Conversation) updateWork(task string, change func(*Item, *Work)) bool {
	return c.update(subagentKey(task), func(i *Item) {
		var work Work
		if i.Subagent != nil {
			work = *i.Subagent
		}
		change(i, &work)
		i.Subagent = &work
	})
}

// subagentRecorded adds a record of a subagent to its conversation. Another subagent at the same task begins one anew.
func (c *Conversation) subagentRecorded(e record.SubagentRecorded) {
	if i := c.list.find(subagentKey(e.Task)); i == nil || !i.Open {
		return
	}
	c.updateWork(e.Task, func(_ *Item, work *Work) {
		if work.Conversation == nil || work.Session != e.Session {
			work.Conversation = &Conversation{}
		}
		work.Session, work.Dir = e.Session, e.Dir
		work.Conversation.Apply(e.Record)
	})
}

// subagentEnded closes a subagent.
func (c *Conversation) subagentEnded(e record.SubagentEnded) bool {
	return c.updateWork(e.Task, func(i *Item, work *Work) {
		i.Open = false
		work.Ended, work.ExitCode, work.Usage, work.Cost = true, e.ExitCode, e.Usage, e.Cost
	})
}
