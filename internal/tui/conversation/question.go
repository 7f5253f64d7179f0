package conversation

import (
	"slices"

	"parley.dev/parley/record"
)

func approvalKey(id string) string { return "approval " + id }

func questionKey(id string) string { return "question " + id }

// approvalAsked shows an approval.
func (c *Conversation) approvalAsked(rec record.Record, e record.ApprovalAsked) {
	key := approvalKey(e.ID)
	c.add(rec, Item{Key: key, Kind: Approval, Open: true, Approval: &Request{ApprovalAsked: e}})
	c.startWaiting(key)
}

// approvalAnswered closes an approval.
func (c *Conversation) approvalAnswered(e record.ApprovalAnswered) bool {
	key := approvalKey(e.ID)
	c.stopWaiting(key)
	return c.update(key, func(i *Item) {
		if i.Approval != nil {
			i.Approval = &Request{i.Approval.ApprovalAsked, &e}
		}
		i.Open, i.Client = false, e.Client
	})
}

// questionAsked shows questions.
func (c *Conversation) questionAsked(rec record.Record, e record.QuestionAsked) {
	key := questionKey(e.ID)
	c.add(rec, Item{Key: key, Kind: Question, Open: true, Question: &Inquiry{QuestionAsked: e}})
	c.startWaiting(key)
}

// questionAnswered closes questions.
func (c *Conversation) questionAnswered(e record.QuestionAnswered) bool {
	key := questionKey(e.ID)
	c.stopWaiting(key)
	return c.update(key, func(i *Item) {
		if i.Question != nil {
			i.Question = &Inquiry{i.Question.QuestionAsked, &e}
		}
		i.Open, i.Client = false, e.Client
	})
}

// startWaiting notes that an item waits for an answer. The state that others have is not changed.
func (c *Conversation) startWaiting(key string) {
	if !slices.Contains(c.state.Waiting, key) {
		c.state.Waiting = append(slices.Clone(c.state.Waiting), key)
	}
	c.state.Status = record.StatusWaiting
}

// stopWaiting notes that an item waits no longer.
func (c *Conversation) stopWaiting(key string) {
	c.state.Waiting = slices.DeleteFunc(slices.Clone(c.state.Waiting), func(k string) bool { return k == key })
	if len(c.state.Waiting) == 0 && c.state.Status == record.StatusWaiting {
		c.state.Status = record.StatusWorking
	}
}

// Settle notes that an item waits no longer, since the host has accepted an answer to it. The record of the answer follows.
func (c *Conversation) Settle(key string) { c.stopWaiting(key) }
