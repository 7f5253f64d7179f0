package conversation

import (
	"slices"
	"strconv"
	"strings"

	"parley.dev/parley/record"
)

// A message is an answer that the model writes, until it is complete.
type message struct {
	id     string
	blocks map[int]*block
}

// A block is a piece of a message, an item of its own. Its text is what records say, and then what came live after that.
type block struct {
	text strings.Builder
	live int // bytes at the end of text that no record has yet
	// skip is the beginning of what still comes live and is in text already: a host that only reads what another process
	// records sends the record first.
	skip string
}

// answerKey returns the key of a block of an answer.
func answerKey(message string, block int) string {
	return "answer " + message + " " + strconv.Itoa(block)
}

// write returns a block of the answer that the model writes; nil: the answer is complete.
func (c *Conversation) write(id string, n int) *block {
	if id == c.lastAnswer && id != "" {
		return nil
	}
	if c.message == nil || c.message.id != id {
		c.dropAnswer()
		c.dropRetried(id)
		c.message = &message{id, map[int]*block{}}
	}
	b := c.message.blocks[n]
	if b == nil {
		b = &block{}
		c.message.blocks[n] = b
	}
	return b
}

// showBlock makes the text of a block that of its item.
func (c *Conversation) showBlock(rec record.Record, n int, kind Kind) {
	key, text := answerKey(c.message.id, n), c.message.blocks[n].text.String()
	item := c.list.find(key)
	at, _ := c.list.index(key)
	if item == nil || rec.Seq != 0 && c.list.isPending(at) {
		c.add(rec, Item{Key: key, Kind: kind, Text: text, Open: true})
		return
	}
	item.Text, item.Kind = text, kind
	c.touch(key)
}

// delta adds text that came live.
func (c *Conversation) delta(rec record.Record, id string, n int, kind Kind, text string) {
	b := c.write(id, n)
	if b == nil || text == "" {
		return
	}
	if rest, ok := strings.CutPrefix(b.skip, text); ok {
		b.skip = rest
		return
	}
	b.skip = ""
	b.text.WriteString(text)
	b.live += len(text)
	c.showBlock(rec, n, kind)
}

// growAnswer adds text of a record, most of which has come live before.
func (c *Conversation) growAnswer(rec record.Record, e record.AnswerGrew) {
	if e.Restart && !c.onlyLive(e.Message) {
		c.dropAnswer()
	}
	for _, p := range e.Pieces {
		b := c.write(e.Message, p.Block)
		if b == nil || p.Text == "" {
			continue
		}
		all := b.text.String()
		if strings.HasPrefix(all[len(all)-b.live:], p.Text) {
			b.live -= len(p.Text)
		} else {
			if b.live == 0 {
				b.skip = p.Text
			}
			known := all[:len(all)-b.live]
			b.text = strings.Builder{}
			b.text.WriteString(known)
			b.text.WriteString(p.Text)
			b.live = 0
		}
		kind := Answer
		if p.Thinking {
			kind = Reasoning
		}
		c.showBlock(rec, p.Block, kind)
	}
}

// onlyLive reports whether nothing of an answer is of records yet.
func (c *Conversation) onlyLive(id string) bool {
	if c.message == nil || c.message.id != id {
		return true
	}
	for n := range c.message.blocks {
		if at, ok := c.list.index(answerKey(id, n)); ok && !c.list.isPending(at) {
			return false
		}
	}
	return true
}

// dropAnswer removes what an answer said that is void.
func (c *Conversation) dropAnswer() {
	if c.message == nil {
		return
	}
	for _, n := range c.message.numbers() {
		c.remove(answerKey(c.message.id, n))
	}
	c.message = nil
}

// numbers returns those of the blocks, in order.
func (m *message) numbers() []int {
	var all []int
	for n := range m.blocks {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

// completeAnswer puts a complete answer in the place of all that was said of it.
func (c *Conversation) completeAnswer(rec record.Record, e record.AssistantMessage) {
	if c.message != nil && c.message.id != e.ID {
		c.dropAnswer()
	}
	c.dropRetried(e.ID)
	said := map[int]bool{}
	for n, b := range e.Blocks {
		kind := Answer
		switch b.Kind {
		case record.BlockText:
		case record.BlockThinking:
			kind = Reasoning
		default:
			continue
		}
		if b.Text == "" || e.Void {
			continue
		}
		said[n] = true
		key := answerKey(e.ID, n)
		if e.Partial {
			c.partial = append(c.partial, key)
		}
		at, ok := c.list.index(key)
		if !ok || c.list.isPending(at) {
			c.add(rec, Item{Key: key, Kind: kind, Text: b.Text})
			continue
		}
		c.update(key, func(i *Item) { i.Kind, i.Text, i.Open = kind, b.Text, false })
	}
	if c.message != nil {
		for _, n := range c.message.numbers() {
			if !said[n] {
				c.remove(answerKey(e.ID, n))
			}
		}
	}
	c.message, c.lastAnswer = nil, e.ID
}

// dropRetried removes an answer that was cut when another one begins in the same step: the model was called again.
func (c *Conversation) dropRetried(next string) {
	if next == c.lastAnswer {
		return
	}
	for _, key := range c.partial {
		c.remove(key)
	}
	c.partial = nil
}

// stepEnded removes what was said and begun live and did not come to anything.
func (c *Conversation) stepEnded() {
	c.dropAnswer()
	c.partial = nil
	c.dropPending()
	c.state.Retry = nil
}

// dropPending removes what was begun live only.
func (c *Conversation) dropPending() {
	for items := c.list.items(); c.list.pending > 0; items = c.list.items() {
		c.remove(items[len(items)-1].Key)
	}
}
