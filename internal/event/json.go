package event

import (
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
// "seq" is left out when 0, "turn" when "".
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
	return append(dst, '}'), nil
}

// MarshalJSON is AppendJSON.
func (r Record) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

// UnmarshalJSON reads AppendJSON's form. Other members are ignored (a journal adds its
// hash); an unknown kind becomes [Unknown].
func (r *Record) UnmarshalJSON(line []byte) error {
	var raw struct {
		Seq  uint64         `json:"seq"`
		Time time.Time      `json:"time"`
		Turn TurnID         `json:"turn"`
		Kind Kind           `json:"kind"`
		Data jsontext.Value `json:"data"`
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return fmt.Errorf("event: read record: %w", err)
	}
	if raw.Kind == "" || raw.Data == nil {
		return fmt.Errorf("event: read record: no kind or no data")
	}
	*r = Record{Seq: raw.Seq, Time: raw.Time, Turn: raw.Turn}
	reader, ok := readers[raw.Kind]
	if !ok {
		r.Event = Unknown{Name: raw.Kind, Data: raw.Data.Clone()}
		return nil
	}
	e, err := reader(raw.Data)
	if err != nil {
		return fmt.Errorf("event: read %s: %w", raw.Kind, err)
	}
	r.Event = e
	return nil
}
