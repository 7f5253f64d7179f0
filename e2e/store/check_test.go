//go:build linux

package store

import (
	"fmt"
	"strconv"
)

// A checker compares the log of a session with its content. Each rule is a method; found has what is wrong.
type checker struct {
	entries []entry
	content content
	found   []string

	// rolledBack is the time at which the servers lost data, so that acknowledgements before are void; 0: never.
	rolledBack int64
	// damaged reports that a record of the session was damaged, and cannot be read.
	damaged bool
	// stale names the writers whose reads may be answered from the past, by a leader that was deposed.
	stale map[string]bool
	// late permits frames that are stored after their last attempt has ended: they waited in a network.
	late bool

	byNumber map[uint64]string // tokens of the content
	places   map[string]uint64 // numbers in the content, by token
	ends     map[string]entry  // ends of operations, by writer and number
	removed  bool              // the session may have been removed
}

// check returns what is wrong with a session.
func (c *checker) check() []string {
	if c.damaged {
		return nil
	}
	c.found = append(c.found, c.content.found...)
	c.byNumber, c.places, c.ends = map[uint64]string{}, map[string]uint64{}, map[string]entry{}
	for _, e := range c.entries {
		if e.End {
			c.ends[operation(e)] = e
		}
		c.removed = c.removed || e.Do == opRemove && e.Outcome != refused
	}
	var number uint64
	for _, f := range c.content.frames {
		for _, token := range f.tokens {
			number++
			if other, twice := c.places[token]; twice {
				c.fail("%s is record %d and record %d", token, other, number)
			}
			c.byNumber[number], c.places[token] = token, number
		}
	}
	for _, rule := range []func(){c.chain, c.acknowledged, c.refusals, c.shown, c.followed, c.order, c.publications} {
		rule()
	}
	return c.found
}

func operation(e entry) string {
	frame := ""
	if e.Frame != nil {
		frame = e.Frame.ID
	}
	return fmt.Sprint(e.Writer, " ", e.Op, " ", e.Do, frame)
}

func (c *checker) fail(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// chain checks that each frame has one successor, which expected it; that epochs never fall; and that each frame
// is of the owner of its epoch.
func (c *checker) chain() {
	var before stored
	owner := ""
	for i, f := range c.content.frames {
		want := before.Sequence
		if i == 0 {
			want = 0
		}
		if f.expects != strconv.FormatUint(want, 10) && !(i == 0 && c.removed) {
			c.fail("frame %d expected frame %q and follows frame %d", f.Sequence, f.expects, want)
		}
		switch {
		case f.Kind == "create":
			if i > 0 {
				c.fail("frame %d creates the session again", f.Sequence)
			}
			owner = f.Owner
		case f.Kind == "claim":
			if f.Epoch != before.Epoch+1 && i > 0 {
				c.fail("frame %d claims epoch %d after epoch %d", f.Sequence, f.Epoch, before.Epoch)
			}
			owner = f.Owner
		case f.Epoch != before.Epoch:
			c.fail("frame %d is of epoch %d, after epoch %d", f.Sequence, f.Epoch, before.Epoch)
		case f.Kind == "release":
			owner = f.Owner
		case f.Owner != owner:
			c.fail("frame %d is of %s, the epoch is that of %s", f.Sequence, f.Owner, owner)
		}
		before = f
	}
}

// acknowledged checks that each record that was acknowledged is stored, at its number.
func (c *checker) acknowledged() {
	if c.removed {
		return
	}
	for number, token := range c.acks() {
		if place := c.places[token.token]; place != number {
			c.fail("%s was acknowledged as record %d; it is record %d, there is %q", token.token, number, place, c.byNumber[number])
		}
	}
}

// An acked is a record that was acknowledged.
type acked struct {
	token string
	time  int64 // of the acknowledgement
}

// acks returns the records that were acknowledged, by their numbers. A sync acknowledges what its writer has
// appended before, since it had the lease.
func (c *checker) acks() map[uint64]acked {
	all := map[uint64]acked{}
	pending := map[string]map[uint64]string{} // by writer
	for _, e := range c.entries {
		switch {
		case e.Do == opLease && e.End && e.Outcome == ack:
			pending[e.Writer] = nil
		case (e.Do == opAppend || e.Do == opCreate) && e.End && e.Outcome != refused:
			if pending[e.Writer] == nil {
				pending[e.Writer] = map[uint64]string{}
			}
			pending[e.Writer][e.First] = e.Tokens[0]
		}
		if !e.End || e.Outcome != ack || e.Do != opSync && e.Do != opRelease && e.Do != opClose && e.Do != opCreate {
			continue
		}
		for number, token := range pending[e.Writer] {
			if number > e.Head {
				continue
			}
			delete(pending[e.Writer], number)
			if e.Time < c.rolledBack {
				continue
			}
			if other, twice := all[number]; twice && other.token != token {
				c.fail("record %d was acknowledged as %s and as %s", number, other.token, token)
			}
			all[number] = acked{token, e.Time}
		}
	}
	return all
}

// refusals checks that nothing that was refused is stored.
func (c *checker) refusals() {
	for _, e := range c.entries {
		if e.Do != opAppend || !e.End || e.Outcome != refused || len(e.Tokens) == 0 {
			continue
		}
		if place, there := c.places[e.Tokens[0]]; there {
			c.fail("%s was refused and is record %d", e.Tokens[0], place)
		}
	}
}

// shown checks that what a reader or follower received is stored.
func (c *checker) shown() {
	if c.removed {
		return
	}
	for _, e := range c.entries {
		if e.Do != opRead && e.Do != opFollow || e.Time < c.rolledBack {
			continue
		}
		for i, token := range e.Tokens {
			if number := e.First + uint64(i); c.byNumber[number] != token {
				c.fail("%s received %q as record %d, which is %q", e.Writer, token, number, c.byNumber[number])
			}
		}
	}
}

// followed checks that each follower receives all records from the first one on, in order and each once. After the
// removal of the session it begins again, and after damage it receives nothing.
func (c *checker) followed() {
	last := map[string]uint64{} // by follower
	damaged := map[string]bool{}
	for _, e := range c.entries {
		if e.Do != opFollow {
			continue
		}
		follower := operation(e)
		switch number := last[follower]; {
		case e.End:
			damaged[follower] = damaged[follower] || e.Damaged
			last[follower] = 0
		case damaged[follower]:
			c.fail("%s received record %d after it was informed of damage", e.Writer, e.First)
		case e.First != number+1:
			c.fail("%s received record %d after record %d", e.Writer, e.First, number)
			fallthrough
		default:
			last[follower] = e.First
		}
	}
}

// order checks that an operation finds what was acknowledged before it began.
func (c *checker) order() {
	if c.removed {
		return
	}
	acks := c.acks()
	for _, e := range c.entries {
		if e.End || e.Do != opLease && e.Do != opRead {
			continue
		}
		end, ok := c.ends[operation(e)]
		if !ok || end.Outcome != ack || e.Do == opRead && c.stale[e.Writer] {
			continue
		}
		for number, a := range acks {
			if a.time < e.Time && number > end.Head {
				c.fail("%s #%d, a %s, ended at record %d; record %d was acknowledged before it began", e.Writer, e.Op, e.Do, end.Head, number)
			}
		}
	}
}

// publications checks what the driver reports of frames: one that was acknowledged is stored, once, with its
// sequence; one whose attempts were all refused is not; a frame is stored during an attempt.
func (c *checker) publications() {
	type attempts struct {
		begun, done, refusals, acks int
		sequence                    uint64
		ends                        []entry
	}
	all := map[string]*attempts{}
	key := func(p published) string { return p.Owner + " " + p.Kind + " " + p.ID }
	for _, e := range c.entries {
		if e.Do != opFrame || e.Time < c.rolledBack {
			continue
		}
		a := all[key(*e.Frame)]
		if a == nil {
			a = &attempts{}
			all[key(*e.Frame)] = a
		}
		if !e.End {
			a.begun++
			continue
		}
		a.done++
		a.ends = append(a.ends, e)
		switch e.Outcome {
		case refused:
			a.refusals++
		case ack:
			a.acks++
			if a.sequence = e.Frame.Sequence; a.acks > 1 {
				c.fail("the frame %s was acknowledged twice", key(*e.Frame))
			}
		}
	}
	seen := map[string]stored{}
	for _, f := range c.content.frames {
		k := key(f.published)
		if other, twice := seen[k]; twice {
			c.fail("the frame %s is stored as %d and %d", k, other.Sequence, f.Sequence)
		}
		seen[k] = f
	}
	for k, a := range all {
		f, there := seen[k]
		switch {
		case a.acks > 0 && !c.removed && f.Sequence != a.sequence:
			c.fail("the frame %s was acknowledged as %d and is %d", k, a.sequence, f.Sequence)
		case there && a.refusals == a.begun:
			c.fail("the frame %s is stored as %d, and was refused", k, f.Sequence)
		case there && !c.late && a.done == a.begun && f.at.UnixNano() > a.ends[len(a.ends)-1].Time:
			c.fail("the frame %s is stored after its last attempt has ended", k)
		case there && !c.late && !during(a.ends, c.entries, k, key, f.at.UnixNano()):
			c.fail("the frame %s is stored between two attempts", k)
		}
	}
}

// during reports whether a time is in an attempt to publish a frame.
func during(ends, entries []entry, k string, key func(published) string, at int64) bool {
	begin := int64(0)
	for _, e := range entries {
		if e.Do != opFrame || key(*e.Frame) != k {
			continue
		}
		if !e.End {
			begin = e.Time
			if begin <= at && len(ends) == 0 {
				return true
			}
			continue
		}
		if begin <= at && at <= e.Time {
			return true
		}
		begin = int64(1<<63 - 1)
	}
	return begin <= at
}
