// Package page chooses the lines of a conversation that a screen shows. It draws only the items that are in sight, so
// that a conversation may have any length. It knows neither the screen nor how items are drawn.
package page

import "parley.dev/parley/internal/tui/conversation"

// A Page is a view of a conversation that scrolls. The zero Page shows the end, and follows it while the conversation
// grows. Items are drawn by draw, without empty lines around them; the Page adds those between them.
type Page struct {
	draw   func(conversation.Item) []string
	items  []conversation.Item
	height int

	fixed  bool   // it does not follow the end
	key    string // of the item at the top
	index  int    // of the item at the top
	offset int    // how many rows of it are above the page
	scroll int    // rows that are still to be scrolled; down is positive
	below  bool   // there are rows below the page
}

// Scroll moves the page by rows: down, or up if it is negative. The next Lines shows it.
func (p *Page) Scroll(rows int) { p.scroll += rows }

// End moves the page to the end.
func (p *Page) End() { p.fixed, p.scroll = false, 0 }

// AtEnd reports whether the last Lines showed the end of the conversation.
func (p *Page) AtEnd() bool { return !p.below }

// Lines returns the lines to show: height of them, or fewer if the conversation has no more.
func (p *Page) Lines(items []conversation.Item, height int, draw func(conversation.Item) []string) []string {
	p.items, p.height, p.draw = items, height, draw
	defer func() { p.items, p.draw = nil, nil }()
	if len(items) == 0 || height < 1 {
		p.fixed, p.scroll, p.below = false, 0, false
		return nil
	}
	if p.fixed {
		p.find()
	} else if p.scroll >= 0 {
		p.scroll = 0
		return p.last()
	} else {
		p.last() // sets the top
	}
	p.move()
	if lines, full := p.from(p.index, p.offset); full {
		p.fixed, p.key = true, p.items[p.index].Key
		return lines
	}
	p.fixed = false
	return p.last()
}

// find sets index to the place of the item at the top, which may have changed.
func (p *Page) find() {
	p.index = min(p.index, len(p.items)-1)
	if p.items[p.index].Key == p.key {
		p.offset = max(0, min(p.offset, len(p.rows(p.index))-1))
		return
	}
	for i := range p.items {
		if p.items[i].Key == p.key {
			p.index = i
			p.offset = max(0, min(p.offset, len(p.rows(i))-1))
			return
		}
	}
	p.offset = 0
}

// move applies the scroll.
func (p *Page) move() {
	p.offset += p.scroll
	p.scroll = 0
	for p.offset < 0 && p.index > 0 {
		p.index--
		p.offset += len(p.rows(p.index))
	}
	p.offset = max(p.offset, 0)
	for {
		n := len(p.rows(p.index))
		if p.offset < n {
			return
		}
		if p.index == len(p.items)-1 {
			p.offset = max(n-1, 0)
			return
		}
		p.offset -= n
		p.index++
	}
}

// last returns the rows at the end, and sets the top.
func (p *Page) last() []string {
	p.below = false
	lines := make([]string, p.height)
	free := p.height
	for i := len(p.items) - 1; i >= 0; i-- {
		rows := p.rows(i)
		n := min(free, len(rows))
		copy(lines[free-n:free], rows[len(rows)-n:])
		free -= n
		if p.index, p.offset = i, len(rows)-n; free == 0 {
			break
		}
	}
	return lines[free:]
}

// from returns the rows from a place on; full is false if they do not fill the page.
func (p *Page) from(index, offset int) (lines []string, full bool) {
	lines = make([]string, 0, p.height)
	for i := index; i < len(p.items); i++ {
		rows := p.rows(i)[offset:]
		offset = 0
		if n := p.height - len(lines); len(rows) >= n {
			p.below = len(rows) > n || i < len(p.items)-1
			return append(lines, rows[:n]...), true
		}
		lines = append(lines, rows...)
	}
	return nil, false
}

// rows returns the lines of an item with the empty one before it.
func (p *Page) rows(i int) []string {
	lines := p.draw(p.items[i])
	if len(lines) == 0 {
		return nil
	}
	before := i - 1
	for before >= 0 && len(p.draw(p.items[before])) == 0 {
		before--
	}
	if before < 0 || adjacent(p.items[before].Kind, p.items[i].Kind) {
		return lines
	}
	return append(make([]string, 1, len(lines)+1), lines...)
}

// adjacent reports whether there is no empty line between two items: those that have one line each.
func adjacent(before, after conversation.Kind) bool {
	return before == after && (after == conversation.Lookup || after == conversation.Reasoning)
}
