package event

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Version is the version of the JSON form; SessionCreated carries it.
const Version = 1

// The ids are opaque; the comment of each says where it is unique.
type (
	SessionID  string // the journal store
	TurnID     string // the session
	MessageID  string // the session
	CallID     string // the session; the provider's id of a tool call unless that was empty or used
	ApprovalID string // the session
	QuestionID string // the session
	PromptID   string // the session; the client's own if it sends one
	CommandID  string // the session; the client's own
)

// A Record is one Event and its place in the session.
type Record struct {
	Seq   uint64    // 1, 2, 3 … within the session, without gaps; 0: transient, never stored
	Time  time.Time // UTC, when it happened; not when it was written
	Turn  TurnID    // "" between turns
	Event Event     // one of the types of this package
	// Origin is the complete entry of another program's file that the record was imported from;
	// nil: the record is not imported. Only the dialect with that file format reads it.
	Origin jsontext.Value
	// Form is what the readers of this record share; nil: there is one reader.
	Form *Form
}

// An Event is one of the types of this package; the set is closed.
type Event interface {
	// Kind is the event's name in the JSON form.
	Kind() Kind
}

// A Stored is an event together with the line of a journal that it was read from, without the line feed. A journal to which it
// is appended stores the line as it is, so that a copy has the same hashes.
type Stored struct {
	Event
	Line []byte
}

// A Kind is the name of a type of event.
type Kind string

// Durable reports whether events of this kind are stored. Unknown kinds are: they were read
// from a journal.
func (k Kind) Durable() bool { return !kinds.Get()[k].transient }

// A Duration is a time.Duration whose JSON form is whole nanoseconds.
type Duration time.Duration
