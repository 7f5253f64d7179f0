package record

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Record is something that has happened in a session.
type Record struct {
	Seq  uint64         `json:"seq"`  // 1, 2, 3 … within the session, without gaps; 0: it is transient, and not stored
	Time time.Time      `json:"time"` // UTC
	Turn string         `json:"turn"` // "": between turns
	Kind string         `json:"kind"` // such as KindTurnEnded
	Data jsontext.Value `json:"data"` // an object; its members depend on Kind
}

// An Event is what a Record says: a value, not a pointer, of a type of this package.
type Event interface {
	// Kind returns the name of the kind, such as KindTurnEnded.
	Kind() string
}

// An Other is an event of a kind without a type in this package.
type Other struct {
	Name string         // the kind
	Data jsontext.Value // of the record
}

// Kind returns Name.
func (o Other) Kind() string { return o.Name }

// Event returns what the record says, as the type that belongs to its Kind. Kinds without a type are an [Other]. The error
// is one of data that does not have the form of its kind.
func (r Record) Event() (Event, error) {
	read := kinds[r.Kind]
	if read == nil {
		return Other{r.Kind, r.Data}, nil
	}
	e, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("record %d of kind %s: %w", r.Seq, r.Kind, err)
	}
	return e, nil
}

// Decode reads the data of the record into a struct: one of this package, or one of your own with the members that you need.
// Members that the struct does not have are ignored.
func (r Record) Decode(data any) error {
	return json.Unmarshal(r.Data, data, jsontext.AllowInvalidUTF8(true))
}

// A Duration is a time.Duration whose JSON form is whole nanoseconds.
type Duration time.Duration

// String returns the duration as time.Duration does, such as 1.5s.
func (d Duration) String() string { return time.Duration(d).String() }

// decode returns the data of a record as a type.
func decode[E Event](r Record) (Event, error) {
	var e E
	err := r.Decode(&e)
	return e, err
}
