package conversation

import "parley.dev/parley/record"

// A Conversation is the items of a session, in the order in which they began. The zero value has none. It is not safe
// for concurrent use.
type Conversation struct {
	list  list
	state State

	version int
	changes []string // keys of the items that the record changes, each once

	message     *message                       // the answer that the model writes; nil: none
	lastAnswer  string                         // the id of the last answer that is complete
	partial     []string                       // keys of the last answer if it was cut, until its step ends
	silentCalls map[string]record.ToolIntended // calls that run and have no item, by id
	outputs     map[string]*growth             // of calls and commands that run, by the keys of their items
	turns       record.Usage                   // of the turns that have ended
	cost        float64                        // of the turns that have ended, US dollars

	border border
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

// Items returns the items. The slice must not be changed, and is good until the next Apply or Prepend.
func (c *Conversation) Items() []Item { return c.list.items() }

// Find returns an item by its key.
func (c *Conversation) Find(key string) (Item, bool) {
	if item := c.list.find(key); item != nil {
		return *item, true
	}
	return Item{}, false
}

// add adds an item that a record begins, or begins anew.
func (c *Conversation) add(rec record.Record, item Item) {
	item.Seq, item.Turn, item.Time = rec.Seq, rec.Turn, rec.Time
	if old := c.list.find(item.Key); old != nil {
		if rec.Seq != 0 {
			c.list.confirm(item.Key)
			old = c.list.find(item.Key)
		}
		*old = item
	} else if rec.Seq != 0 {
		c.list.add(item)
	} else {
		c.list.addPending(item)
	}
	c.touch(item.Key)
}

// update changes an item, and reports whether there is one.
func (c *Conversation) update(key string, change func(*Item)) bool {
	item := c.list.find(key)
	if item == nil {
		return false
	}
	change(item)
	c.touch(key)
	return true
}

// remove removes an item.
func (c *Conversation) remove(key string) {
	if c.list.find(key) != nil {
		c.list.remove(key)
		c.note(key)
	}
	delete(c.outputs, key)
}

// touch notes that an item has changed.
func (c *Conversation) touch(key string) {
	c.version++
	c.list.find(key).Version = c.version
	c.note(key)
}

// note adds a key to those that the record changes. A record changes few items.
func (c *Conversation) note(key string) {
	for _, k := range c.changes {
		if k == key {
			return
		}
	}
	c.changes = append(c.changes, key)
}
