package codex

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A notice goes to the client as it is: a notification.
type notice struct {
	method string
	params any
}

// encode returns a notification as a line, without LF.
func (n notice) encode(now time.Time) []byte {
	var params []byte
	if d, ok := n.params.(AgentMessageDeltaNotification); ok {
		params = d.appendJSON(make([]byte, 0, 96+len(d.ThreadID)+len(d.TurnID)+len(d.Delta)))
	} else {
		params = marshal(n.params)
	}
	line := frames.AppendNotification(make([]byte, 0, len(params)+96), n.method, params)
	line = append(line[:len(line)-1], `,"emittedAtMs":`...)
	line = strconv.AppendInt(line, now.UnixMilli(), 10)
	return append(line, '}')
}

// appendJSON returns the hottest line of the protocol, without reflection.
func (d AgentMessageDeltaNotification) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"threadId":`...)
	dst = wire.AppendString(dst, d.ThreadID)
	dst = append(dst, `,"turnId":`...)
	dst = wire.AppendString(dst, d.TurnID)
	dst = append(dst, `,"itemId":`...)
	dst = wire.AppendString(dst, d.ItemID)
	dst = append(dst, `,"delta":`...)
	dst = wire.AppendString(dst, d.Delta)
	return append(dst, '}')
}

// marshal returns a value of the protocol as JSON. Such values are strings, numbers and JSON that was read: they can
// be written, unless the program has a defect.
func marshal(value any) []byte {
	data, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		panic("codex: a message cannot be written: " + err.Error())
	}
	return data
}

func resultLine(id jsonrpc.ID, result any) []byte {
	return frames.AppendResult(nil, id, marshal(result))
}

func errorLine(id jsonrpc.ID, e *jsonrpc.Error) []byte { return frames.AppendError(nil, id, e) }
