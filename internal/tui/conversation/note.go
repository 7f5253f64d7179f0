package conversation

import (
	"strconv"
	"time"
)

// Note adds a notice of the console itself, which no record has: at the end, but before what the model writes.
func (c *Conversation) Note(level, text string, at time.Time) {
	key := "console " + strconv.Itoa(c.version+1)
	c.list.add(Item{Key: key, Kind: Notice, Level: level, Text: text, Time: at})
	c.touch(key)
}
