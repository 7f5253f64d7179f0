package event

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Version is the version of the JSON form; SessionCreated carries it.
const Version = 1

// The ids are opaque; each is unique within what its comment names.
type (
	SessionID  string // the journal store
	TurnID     string // the session
	MessageID  string // the session
	CallID     string // the session; the provider's id of a tool call unless that was empty or used
	ApprovalID string // the session
	QuestionID string // the session
	PromptID   string // the session; the client's own where it has one
)

// A Record is one Event and its place in the session.
type Record struct {
	Seq   uint64    // 1, 2, 3 … within the session, without gaps; 0: transient, never stored
	Time  time.Time // UTC, when it happened; not when it was written
	Turn  TurnID    // "" between turns
	Event Event     // one of the types of this package
	// Origin is the entry of another program's file that the record was imported from, whole;
	// nil: the record is our own. Only the dialect that knows the file reads it.
	Origin jsontext.Value
}

// An Event is one of the types of this package; the set is closed.
type Event interface {
	// Kind is the event's name in the JSON form.
	Kind() Kind
}

// A Kind names a type of event.
type Kind string

// Durable says whether events of this kind are stored. Unknown kinds are: they were read
// from a journal.
func (k Kind) Durable() bool { return !transientKinds[k] }

// Duration is a time.Duration whose JSON form is whole nanoseconds.
type Duration time.Duration
