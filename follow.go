package parley

import (
	"context"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/record"
)

// FollowOptions are which records to follow. The zero FollowOptions are all durable ones.
type FollowOptions struct {
	From      uint64   // the first number; 0 and 1: all
	Transient []string // kinds of transient records, such as record.KindTextDelta
}

// Follow yields the records of the session: first those that there are, then each that comes, until ctx ends, whose cause is
// yielded as an error, or the session is closed, which is no error. Each durable record comes exactly once, in order.
//
// Records are collected from the call on, not from the first iteration: what follows a Follow is not missed. Range over the
// result once. A loop that is slow holds up nothing and loses nothing: deltas are merged, and records wait on disk.
func (s *Session) Follow(ctx context.Context, o FollowOptions) iter.Seq2[record.Record, error] {
	var kinds []event.Kind
	for _, kind := range o.Transient {
		if event.Kind(kind).Durable() {
			return failed(fmt.Errorf("FollowOptions.Transient: %q is not a kind of transient records", kind))
		}
		kinds = append(kinds, event.Kind(kind))
	}
	if head := s.eng.State().Head; o.From > head+1 {
		return failed(fmt.Errorf("FollowOptions.From %d is after the next record, %d", o.From, head+1))
	}
	records := s.eng.Log().Follow(ctx, max(o.From, 1), kinds...)
	return func(yield func(record.Record, error) bool) {
		for rec, err := range records {
			var out record.Record
			if err == nil {
				out, err = s.publicRecord(rec)
			}
			if !yield(out, public(err)) || err != nil {
				return
			}
		}
	}
}

// failed yields an error.
func failed(err error) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) { yield(record.Record{}, err) }
}

// publicRecord returns a record in its public form, which is that of the journal.
func (s *Session) publicRecord(rec event.Record) (record.Record, error) {
	var out record.Record
	rec, err := s.eng.Log().Stored(rec)
	if err != nil {
		return out, err
	}
	line, err := rec.AppendJSON(nil)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(line, &out, jsontext.AllowInvalidUTF8(true))
}

// convert returns a value of the engine as the public type with the same JSON form.
func convert[T any](v any) T {
	var out T
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err == nil {
		err = json.Unmarshal(data, &out, jsontext.AllowInvalidUTF8(true))
	}
	if err != nil {
		panic(fmt.Sprintf("%T: %v", v, err)) // a defect: a test compares the types
	}
	return out
}
