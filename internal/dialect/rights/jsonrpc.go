package rights

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// Answer is the row of responses to the requests of a protocol that is JSON-RPC.
const Answer = "(answer)"

// A Frames reads the lines of a protocol that is JSON-RPC.
type Frames struct {
	Options jsonrpc.Options
	Session string // the member of params that names a session
	// Params returns the params of a request or a notification; an error if the protocol refuses them.
	Params func(jsonrpc.Frame) (any, error)
	// Batches reports whether a line may have several messages; nil: it may not.
	Batches func() bool
}

// Read returns the messages of a line. Their Origin is the frame.
func (r Frames) Read(line []byte) []Message {
	f, invalid := jsonrpc.Parse(line, r.Options)
	switch {
	case invalid == nil:
		return r.message(f)
	case invalid.Kind != jsonrpc.Batch || r.Batches == nil || !r.Batches():
		return nil
	}
	var lines []jsontext.Value
	if json.Unmarshal(line, &lines) != nil {
		return nil
	}
	var all []Message
	for _, one := range lines {
		if f, invalid := jsonrpc.Parse(one, r.Options); invalid == nil {
			all = append(all, r.message(f)...)
		}
	}
	return all
}

// message returns the message of a frame; none if the protocol refuses its params.
func (r Frames) message(f jsonrpc.Frame) []Message {
	if f.Kind == jsonrpc.Response {
		return []Message{{Method: Answer, Params: f, Origin: f}}
	}
	params, err := r.Params(f)
	if err != nil {
		return nil
	}
	m := Message{Method: f.Method, Params: params, Origin: f}
	if obj, err := wire.OpenObject(f.Params, r.Options.Object); err == nil && r.Session != "" {
		if value, ok := obj.Get(r.Session); ok && value.Kind() == jsontext.KindString {
			_ = json.Unmarshal(value, &m.Session) // it was checked
		}
	}
	return []Message{m}
}
