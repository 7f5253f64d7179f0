package conversation

import "parley.dev/parley/record"

// A Conversation is the items of a session, in the order in which they began. The zero value has none. It is not safe
// for concurrent use.
type Conversation struct {
	items  []Item
	places map[string]int // of items, by key
	state  State
}

// A State is what a console shows beside the items.
type State struct {
	Head      uint64 // number of the last record
	First     uint64 // number of the oldest record that the items show; 1: there is nothing older; 0: they show none
	Workspace string // absolute
	Settings  record.Settings
	Status    string // such as record.StatusIdle
	Turn      string // "": none runs
	Window    int    // tokens of the model's context; 0: not known
	Context   int    // tokens that the history fills, estimated
	Usage     record.Usage
	Cost      float64 // US dollars
	Steering  []record.Queued
	FollowUps []record.Queued
	Waiting   []string             // the keys of the approvals and questions that wait, oldest first
	Budget    string               // what the budget has warned of, for the user; "": nothing
	Last      *record.TurnEnded    // how the last turn ended; nil: none has
	Retry     *record.RetryStarted // the wait before a model call is made again; nil: there is none
}

// State returns the state after the last record.
func (c *Conversation) State() State { return c.state }

// Items returns the items. The slice must not be changed, and is good until the next Apply.
func (c *Conversation) Items() []Item { return c.items }

// Find returns an item by its key.
func (c *Conversation) Find(key string) (Item, bool) {
	i, ok := c.places[key]
	if !ok {
		return Item{}, false
	}
	return c.items[i], true
}
