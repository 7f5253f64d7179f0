package event

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends the record's JSON form, one object without a line feed:
//
//	{"seq":7,"time":"2026-11-21T06:40:00.123456789Z","turn":"5be01c77a210","kind":"tool_started","data":{"call":"call_1"}}
//
// "seq" is omitted if 0, "turn" if "", and "origin", a JSON value, if nil.
func (r Record) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	if r.Seq != 0 {
		dst = append(dst, `"seq":`...)
		dst = strconv.AppendUint(dst, r.Seq, 10)
		dst = append(dst, ',')
	}
	dst = append(dst, `"time":"`...)
	dst = r.Time.UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, '"')
	if r.Turn != "" {
		dst = append(dst, `,"turn":`...)
		var err error
		if dst, err = jsontext.AppendQuote(dst, r.Turn); err != nil {
			return dst, fmt.Errorf("event: turn id: %w", err)
		}
	}
	dst = append(dst, `,"kind":`...)
	dst, err := jsontext.AppendQuote(dst, r.Event.Kind())
	if err != nil {
		return dst, fmt.Errorf("event: kind: %w", err)
	}
	dst = append(dst, `,"data":`...)
	if u, ok := r.Event.(Unknown); ok {
		dst = append(dst, u.Data...)
	} else {
		data, err := json.Marshal(r.Event, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return dst, fmt.Errorf("event: write %s: %w", r.Event.Kind(), err)
		}
		dst = append(dst, data...)
	}
	if r.Origin != nil {
		dst = append(dst, `,"origin":`...)
		dst = append(dst, r.Origin...)
	}
	return append(dst, '}'), nil
}

// MarshalJSON returns the JSON form; see AppendJSON.
func (r Record) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

// UnmarshalJSON parses the JSON form of AppendJSON. It ignores other members (a journal adds its
// hash); an unknown kind becomes [Unknown].
func (r *Record) UnmarshalJSON(line []byte) error {
	var raw struct {
		Seq    uint64         `json:"seq"`
		Time   time.Time      `json:"time"`
		Turn   TurnID         `json:"turn"`
		Kind   Kind           `json:"kind"`
		Data   payload        `json:"data"`
		Origin jsontext.Value `json:"origin"`
	}
	raw.Data.kind = &raw.Kind
	err := json.Unmarshal(line, &raw)
	if err == nil && raw.Data.early != nil {
		raw.Data.event, err = readEvent(raw.Kind, jsontext.NewDecoder(bytes.NewReader(raw.Data.early)))
	}
	if err != nil {
		return fmt.Errorf("event: read record: %w", err)
	}
	if raw.Kind == "" || raw.Data.event == nil {
		return fmt.Errorf("event: read record: no kind or no data")
	}
	*r = Record{Seq: raw.Seq, Time: raw.Time, Turn: raw.Turn, Event: raw.Data.event, Origin: raw.Origin}
	return nil
}

// A payload decodes a record's data directly if the kind precedes it, as AppendJSON writes it: to
// skip it first and decode it later would be a third of the time of reading a journal.
type payload struct {
	kind  *Kind // of the record
	event Event
	early jsontext.Value // data that preceded the kind
}

func (p *payload) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if *p.kind == "" {
		data, err := dec.ReadValue()
		p.early = data.Clone()
		return err
	}
	var err error
	p.event, err = readEvent(*p.kind, dec)
	return err
}

func readEvent(kind Kind, dec *jsontext.Decoder) (Event, error) {
	r, ok := kinds.Get()[kind]
	if !ok {
		data, err := dec.ReadValue()
		return Unknown{Name: kind, Data: data.Clone()}, err
	}
	e, err := r.read(dec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return e, nil
}
