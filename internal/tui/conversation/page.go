package conversation

import (
	"slices"

	"parley.dev/parley/record"
)

// A border is what is known of the place where the records of a conversation begin, unless it is the begin of the session:
// an older page must fit there.
type border struct {
	begun     bool   // a record of a turn has come
	turn      string // the turn that ran at the border; "": none did
	turnEnded bool
	inStep    bool // neither the begin nor the end of a step of turn has come
	stepEnded bool // of both the end came first

	settings bool           // the settings are known
	change   *record.Record // of settings that were not known before; nil: there was none

	seeds   map[string]bool // keys of items that State.Approvals and State.Questions have
	records []record.Record // of items that began before the border, or may have
}

// enter notes a durable record.
func (c *Conversation) enter(rec record.Record) {
	c.state.Head = rec.Seq
	if c.state.First == 0 {
		c.state.First = rec.Seq
	}
	b := &c.border
	if rec.Turn != "" && !b.begun {
		b.begun = true
		if rec.Kind != record.KindTurnStarted {
			b.turn, b.inStep = rec.Turn, true
		}
	}
	if b.turn == "" || rec.Turn != b.turn {
		return
	}
	switch rec.Kind {
	case record.KindStepStarted:
		b.inStep = false
	case record.KindStepEnded, record.KindTurnEnded:
		b.stepEnded = b.stepEnded || b.inStep
		b.inStep = false
		b.turnEnded = b.turnEnded || rec.Kind == record.KindTurnEnded
	}
}

// mayBeOlder reports whether an event is about an item of before the border, though an item was made for it, or will be.
func (c *Conversation) mayBeOlder(rec record.Record, e record.Event) bool {
	switch e := e.(type) {
	case record.AnswerGrew, record.AssistantMessage:
		return c.border.inStep
	case record.PlanUpdated:
		return c.border.turn != "" && rec.Turn == c.border.turn
	case record.ApprovalAnswered:
		return c.border.seeds[approvalKey(e.ID)]
	case record.QuestionAnswered:
		return c.border.seeds[questionKey(e.ID)]
	}
	return false
}

// has reports whether an event is about an item of c.
func (c *Conversation) has(rec record.Record, e record.Event) bool {
	var key string
	switch e := e.(type) {
	case record.AnswerGrew:
		return c.message != nil && c.message.id == e.Message
	case record.AssistantMessage:
		return c.message != nil && c.message.id == e.ID
	case record.ToolEnded:
		if _, ok := c.silentCalls[e.Call]; ok {
			return true
		}
		key = callKey(e.Call)
	case record.ToolStarted:
		key = callKey(e.Call)
	case record.ChangesProposed:
		key = callKey(e.Call)
	case record.CommandRan:
		key = commandKey(rec, e.ID)
	case record.SubagentEnded:
		key = subagentKey(e.Task)
	case record.PlanUpdated:
		key = planKey(rec.Turn)
	case record.ApprovalAnswered:
		key = approvalKey(e.ID)
	case record.QuestionAnswered:
		key = questionKey(e.ID)
	}
	return c.list.find(key) != nil
}

// Seed makes the state of a session that of a new Conversation, so that it can be shown from its end:
//
//	var c conversation.Conversation
//	c.Seed(state)                                // the result of session/state, or of session/open
//	c.Prepend(page)                              // of session/records with before = state.Head + 1
//	for … { c.Apply(rec) }                       // of session/follow with from = state.Head + 1
//	c.Prepend(older)                             // of session/records with before = c.State().First, until First is 1
//
// What waits for an answer is an item from the beginning on, the last one, until Prepend gets to the place where it began.
func (c *Conversation) Seed(s record.State) {
	c.state = State{
		Head: s.Head, Workspace: s.Workspace, Settings: s.Settings, Status: s.Status, Turn: s.Turn, Context: s.Context,
		Usage: s.Usage, Cost: s.Cost, Steering: s.Steering, FollowUps: s.FollowUps,
	}
	c.turns, c.cost = s.Usage, s.Cost
	c.border = border{settings: true, seeds: map[string]bool{}}
	add := func(item Item) {
		item.Open, item.Turn = true, s.Turn
		c.list.add(item)
		c.touch(item.Key)
		c.border.seeds[item.Key] = true
		c.state.Waiting = append(c.state.Waiting, item.Key)
	}
	for _, a := range s.Approvals {
		add(Item{Key: approvalKey(a.ID), Kind: Approval, Approval: &Request{ApprovalAsked: a}})
	}
	for _, q := range s.Questions {
		add(Item{Key: questionKey(q.ID), Kind: Question, Question: &Inquiry{QuestionAsked: q}})
	}
}

// Prepend adds records before the others, in ascending order and without a gap to them, and returns the keys of the items that
// are new or changed. The state stays that after the last record. The items are then those that Apply would have made of
// all records. An item that began in the older records and went on in the others, such as a call, a plan or an answer, is
// where it began, with all that became of it; before that a call whose begin is not known has no item.
func (c *Conversation) Prepend(records []record.Record) (changed []string) {
	c.changes = nil
	var older Conversation
	for _, rec := range records {
		if rec.Seq != 0 && (c.state.First == 0 && (c.state.Head == 0 || rec.Seq <= c.state.Head) || rec.Seq < c.state.First) {
			older.Apply(rec)
		}
	}
	if older.state.First == 0 {
		return nil
	}
	c.settle(&older)
	c.join(&older)
	for _, item := range older.list.items() {
		c.list.remove(item.Key)
	}
	for i := range older.list.items() {
		c.version++
		older.list.items()[i].Version = c.version
		changed = append(changed, older.list.items()[i].Key)
	}
	c.list.prepend(older.list.items())
	for _, key := range c.changes {
		if older.list.find(key) == nil {
			changed = append(changed, key)
		}
	}
	return changed
}

// settle gives the older items what the newer records say of them.
func (c *Conversation) settle(older *Conversation) {
	var rest []record.Record
	for _, rec := range c.border.records {
		e, err := rec.Event()
		if err != nil {
			continue
		}
		older.dropRetried(answerOf(e, older.lastAnswer))
		known := older.has(rec, e)
		if known {
			older.apply(rec, e)
			c.takeLater(older, rec)
		}
		if !known || older.mayBeOlder(rec, e) {
			rest = append(rest, rec)
		}
	}
	c.border.records = rest
	if c.border.stepEnded {
		older.stepEnded()
	}
	if c.border.turnEnded {
		older.closePlan(c.border.turn)
	}
	if c.border.inStep || !c.border.begun {
		c.continueAnswer(older)
	}
	if change := c.border.change; change != nil && older.border.settings {
		if e, err := change.Event(); err == nil {
			c.showChange(*change, &older.state.Settings, e.(record.SessionChanged))
		}
	}
}

// takeLater takes over an item that one of the newer records began in the older ones: a call that has one because it failed.
func (c *Conversation) takeLater(older *Conversation, rec record.Record) {
	items := older.list.items()
	if len(items) == 0 || items[len(items)-1].Seq != rec.Seq || items[len(items)-1].Kind != Tool {
		return
	}
	item := items[len(items)-1]
	older.list.remove(item.Key)
	c.list.remove(item.Key)
	at := slices.IndexFunc(c.list.items(), func(i Item) bool { return i.Seq > rec.Seq })
	if at < 0 {
		at = len(c.list.items()) - c.list.pending
	}
	c.list.insert(at, item)
	c.touch(item.Key)
}

// answerOf returns the id of the answer that an event is of; other: it is of none.
func answerOf(e record.Event, other string) string {
	switch e := e.(type) {
	case record.AnswerGrew:
		return e.Message
	case record.AssistantMessage:
		return e.ID
	}
	return other
}

// continueAnswer goes on with the answer that the model was writing at the border.
func (c *Conversation) continueAnswer(older *Conversation) {
	if c.message == nil {
		if older.message != nil && older.message.id != c.lastAnswer {
			c.message = older.message
		}
		return
	}
	if older.message == nil || older.message.id != c.message.id {
		return
	}
	for n, b := range c.message.blocks {
		before := older.message.blocks[n]
		if before == nil {
			continue
		}
		all := b.text.String()
		before.text.WriteString(all[len(all)-b.live:])
		before.live += b.live
		c.message.blocks[n] = before
		older.update(answerKey(c.message.id, n), func(i *Item) { i.Text = before.text.String() })
	}
	for n, b := range older.message.blocks {
		if c.message.blocks[n] == nil {
			c.message.blocks[n] = b
		}
	}
}

// join makes the border that of the older records.
func (c *Conversation) join(older *Conversation) {
	s, b := &c.state, &c.border
	s.First = older.state.First
	s.Head = max(s.Head, older.state.Head)
	if s.Workspace == "" {
		s.Workspace = older.state.Workspace
	}
	if s.Window == 0 {
		s.Window = older.state.Window
	}
	if s.Last == nil {
		s.Last = older.state.Last
	}
	if s.Budget == "" {
		s.Budget = older.state.Budget
	}
	for call, e := range older.silentCalls {
		if c.silentCalls == nil {
			c.silentCalls = map[string]record.ToolIntended{}
		}
		c.silentCalls[call] = e
	}
	if b.records = slices.Concat(older.border.records, b.records); s.First == 1 {
		b.records = nil
	}
	if older.border.settings {
		b.change = older.border.change
	}
	if !older.border.begun {
		return
	}
	if c.lastAnswer == "" && (b.inStep || !b.begun) {
		c.lastAnswer, c.partial = older.lastAnswer, older.partial
	}
	was, now := *b, older.border
	b.begun, b.turn = true, now.turn
	b.turnEnded = now.turnEnded || now.turn == was.turn && was.turnEnded
	b.stepEnded = now.stepEnded || now.inStep && was.stepEnded
	b.inStep = now.inStep && (was.inStep || !was.begun)
}
