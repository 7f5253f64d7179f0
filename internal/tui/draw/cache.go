package draw

import "container/list"

// cacheLimit is the size of the lines that a Drawer remembers, in bytes, with an estimate of what they cost besides.
const cacheLimit = 6 << 20

// A cache has the lines of the items that were drawn last. The zero value is empty.
type cache struct {
	entries map[string]*list.Element // of *entry, by key of the item
	recent  list.List                // the latest first
	size    int
}

// An entry is the lines of an item.
type entry struct {
	key      string
	drawn    bool
	version  int
	width    int
	unfolded bool
	lines    []string
	state    any // what makes drawing the next version cheaper; nil: nothing
	size     int
}

// find returns the entry of an item, which is new if there was none.
func (c *cache) find(key string) *entry {
	if element, ok := c.entries[key]; ok {
		c.recent.MoveToFront(element)
		return element.Value.(*entry)
	}
	if c.entries == nil {
		c.entries = map[string]*list.Element{}
	}
	e := &entry{key: key}
	c.entries[key] = c.recent.PushFront(e)
	return e
}

// put stores the lines of an entry, which find has returned, and removes the oldest ones if they are too many.
func (c *cache) put(e *entry, version, width int, unfolded bool, lines []string) {
	if element, ok := c.entries[e.key]; !ok || element.Value != e { // drawing its parts has removed it
		return
	}
	c.size -= e.size
	e.drawn, e.version, e.width, e.unfolded, e.lines = true, version, width, unfolded, lines
	e.size = 256
	for _, l := range lines {
		e.size += len(l) + 16
	}
	if s, ok := e.state.(interface{ bytes() int }); ok {
		e.size += s.bytes()
	}
	c.size += e.size
	for c.size > cacheLimit && c.recent.Len() > 1 {
		oldest := c.recent.Remove(c.recent.Back()).(*entry)
		delete(c.entries, oldest.key)
		c.size -= oldest.size
	}
}
