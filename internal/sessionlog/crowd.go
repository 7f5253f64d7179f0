package sessionlog

import (
	"time"

	"parley.dev/parley/internal/event"
)

// This file merges deltas for many followers: delivering each delta to each of them would cost more time than there is
// between two deltas. A delta that comes soon after another one waits, and those that come meanwhile merge with it.

const (
	crowdFrom = 32                    // that many followers are many
	crowdCost = 10 * time.Microsecond // about what delivering a record to one of them costs the process
	crowdWait = 10 * time.Millisecond // the longest wait
)

// A crowd is the deltas that wait for the followers of a Log, whose lock guards it.
type crowd struct {
	held  waiting     // without an event: nothing waits
	until time.Time   // when the next delta may be delivered
	timer *time.Timer // delivers what waits
}

// hold reports whether a record waits, which is delivered later.
func (l *Log) hold(rec event.Record) bool {
	if len(l.followers) < crowdFrom || !isDelta(rec) {
		return false
	}
	c := &l.crowd
	if c.held.rec.Event != nil && c.held.merge(rec) {
		c.held.size += recordSize(rec)
		return true
	}
	l.deliverHeld()
	left := time.Until(c.until)
	if left <= 0 {
		c.until = time.Now().Add(min(time.Duration(len(l.followers))*crowdCost, crowdWait))
		return false
	}
	c.held = waiting{rec: rec, size: recordSize(rec)}
	c.timer = time.AfterFunc(left, func() {
		l.cfg.Lock.Lock()
		defer l.cfg.Lock.Unlock()
		l.deliverHeld()
	})
	return true
}

// deliverHeld delivers what waits.
func (l *Log) deliverHeld() {
	c := &l.crowd
	if c.held.rec.Event == nil {
		return
	}
	c.timer.Stop()
	rec := c.held.record()
	c.held = waiting{}
	c.until = time.Now().Add(min(time.Duration(len(l.followers))*crowdCost, crowdWait))
	l.push(rec)
}
