package conversation

// A list is items in their order, found by their keys. Items that no durable record has begun, the pending ones, are last;
// so the order of the others is that of their records, whatever came live.
type list struct {
	buf     []Item         // the first item is buf[front]
	front   int            // free places before it, for older items
	places  map[string]int // the number of an item; the numbers are those of their order, without gaps
	first   int            // the number of the first item
	pending int
}

func (l *list) items() []Item { return l.buf[l.front:] }

func (l *list) index(key string) (int, bool) {
	number, ok := l.places[key]
	return number - l.first, ok
}

// find returns the item of a key, which may be changed until the next insertion or removal; nil: there is none.
func (l *list) find(key string) *Item {
	if i, ok := l.index(key); ok {
		return &l.items()[i]
	}
	return nil
}

// insert puts an item before that of an index.
func (l *list) insert(at int, item Item) {
	l.buf = append(l.buf, Item{})
	items := l.items()
	copy(items[at+1:], items[at:])
	items[at] = item
	l.number(at, len(items))
}

// number numbers items anew.
func (l *list) number(from, to int) {
	if l.places == nil {
		l.places = map[string]int{}
	}
	for i, item := range l.items()[from:to] {
		l.places[item.Key] = l.first + from + i
	}
}

// add adds an item after the durable ones.
func (l *list) add(item Item) { l.insert(len(l.items())-l.pending, item) }

// addPending adds an item that no durable record has begun.
func (l *list) addPending(item Item) {
	l.insert(len(l.items()), item)
	l.pending++
}

// isPending reports whether no durable record has begun the item of an index.
func (l *list) isPending(at int) bool { return at >= len(l.items())-l.pending }

// confirm makes a pending item the last of the durable ones.
func (l *list) confirm(key string) {
	at, ok := l.index(key)
	if !ok || !l.isPending(at) {
		return
	}
	item := l.items()[at]
	l.remove(key)
	l.add(item)
}

// remove removes an item. It moves those on the side with fewer of them.
func (l *list) remove(key string) {
	at, ok := l.index(key)
	if !ok {
		return
	}
	if l.isPending(at) {
		l.pending--
	}
	delete(l.places, key)
	items := l.items()
	if at < len(items)/2 {
		copy(items[1:at+1], items[:at])
		items[0] = Item{}
		l.front++
		l.first++
		l.number(0, at)
		return
	}
	copy(items[at:], items[at+1:])
	items[len(items)-1] = Item{}
	l.buf = l.buf[:len(l.buf)-1]
	l.number(at, len(l.items()))
}

// prepend puts older items first.
func (l *list) prepend(older []Item) {
	if l.front < len(older) {
		front := max(len(older), len(l.items())) // as many again are free, so that many pages cost no more than few
		buf := make([]Item, front+len(l.items()), front+len(l.items())+len(l.items())/4)
		copy(buf[front:], l.items())
		l.buf, l.front = buf, front
	}
	l.front -= len(older)
	l.first -= len(older)
	copy(l.buf[l.front:], older)
	l.number(0, len(older))
}
