//go:build linux

package store

import (
	"fmt"
	"math"
	"time"

	"github.com/anishathalye/porcupine"
)

// A head is the last record of a session; the value of the register that a session is.
type head struct {
	number uint64
	token  string
}

// A change is an operation of the register: it finds the record before and leaves after, or it reads after.
type change struct {
	before uint64
	after  head
	read   bool
}

// linearTimeout is how long the search for an order may take.
const linearTimeout = 20 * time.Second

var register = porcupine.Model{
	Init: func() any { return head{} },
	Step: func(state, input, _ any) (bool, any) {
		s, c := state.(head), input.(change)
		if c.read {
			return s == c.after, s
		}
		return s.number == c.before, c.after
	},
}

// linear checks that a session's operations have an order in which each record follows the one before, and each
// reader finds the last one, and which contradicts no clock. An append whose outcome is unknown took place at any
// time after its call if its record is stored, and not at all otherwise.
func linear(c checker) []string {
	if c.removed || c.rolledBack > 0 {
		return nil
	}
	acks := c.acks()
	var operations []porcupine.Operation
	add := func(e entry, from, to int64, ch change) {
		operations = append(operations, porcupine.Operation{ClientId: len(operations), Input: ch, Call: from, Return: to})
	}
	for _, e := range c.entries {
		if e.End {
			continue
		}
		end, done := c.ends[operation(e)]
		switch e.Do {
		case opAppend, opCreate:
			if done && end.Outcome == refused || len(e.Tokens) == 0 || c.places[e.Tokens[0]] != e.First {
				continue
			}
			if e.Do == opCreate && e.Writer != c.creator() {
				continue // the first records of all writers have the same token
			}
			to := int64(math.MaxInt64)
			if a, ok := acks[e.First]; ok && a.token == e.Tokens[0] {
				to = a.time
			}
			add(e, e.Time, to, change{before: e.First - 1, after: head{e.First, e.Tokens[0]}})
		case opLease, opRead:
			if !done || end.Outcome != ack || e.Do == opRead && c.stale[e.Writer] {
				continue
			}
			add(e, e.Time, end.Time, change{read: true, after: head{end.Head, c.byNumber[end.Head]}})
		}
	}
	if porcupine.CheckOperationsTimeout(register, operations, linearTimeout) == porcupine.Illegal {
		return []string{fmt.Sprintf("no order of the %d operations is possible", len(operations))}
	}
	return nil
}

// creator returns the writer that has created the session.
func (c *checker) creator() string {
	for _, e := range c.entries {
		if e.Do == opFrame && e.Frame.Kind == "create" && len(c.content.frames) > 0 && e.Frame.Owner == c.content.frames[0].Owner {
			return e.Writer
		}
	}
	return ""
}
