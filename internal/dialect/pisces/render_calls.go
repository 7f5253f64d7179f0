package pisces

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/event"
)

// updateTail is how much of a running tool's output an update shows, in bytes.
const updateTail = 50 << 10

// A tail is the end of a text that grows.
type tail []byte

func (t *tail) add(text string) {
	*t = append(*t, text...)
	if n := len(*t) - updateTail; n > updateTail {
		*t = append(tail(nil), (*t)[n:]...)
	}
}

func (t tail) text() string {
	return string(t[max(0, len(t)-updateTail):])
}

// startCall sends the start of a call.
func (v *view) startCall(id event.CallID) {
	c := v.calls[id]
	if c == nil || c.started {
		return
	}
	c.started = true
	v.emit(ToolExecutionStart{ToolCallID: string(id), ToolName: c.name, Args: c.args})
}

// running returns the beginnings of what runs, for a client that has seen nothing of it.
func (v *view) running() [][]byte {
	v.out = nil
	if v.run == nil {
		return nil
	}
	v.emit(AgentStart{})
	if v.run.turn != nil {
		v.emit(TurnStart{TurnIndex: v.run.turns - 1, Timestamp: v.step.UnixMilli()})
	}
	for _, id := range slices.Sorted(maps.Keys(v.calls)) {
		if c := v.calls[id]; c.started {
			v.emit(ToolExecutionStart{ToolCallID: string(id), ToolName: c.name, Args: c.args})
		}
	}
	return v.out
}

// callOutput shows all that a running call has written, or the end of it.
func (v *view) callOutput(e event.ToolOutput) {
	c := v.calls[e.Call]
	if c == nil || !c.started {
		return
	}
	c.output.add(e.Text)
	v.emit(ToolExecutionUpdate{
		ToolCallID: string(e.Call), ToolName: c.name, Args: c.args,
		PartialResult: message.Result{Content: []message.Content{message.NewText(c.output.text())}, Details: jsontext.Value(`{}`)},
	})
}

// endCall sends the end of a call. One that never ran begins here, so that each end has its beginning.
func (v *view) endCall(m message.ToolResult) {
	v.beginTurn(v.step)
	id := event.CallID(m.ToolCallID)
	if v.calls[id] == nil {
		v.calls[id] = &shownCall{name: m.ToolName, args: v.asked(m.ToolCallID)}
	}
	v.startCall(id)
	v.emit(ToolExecutionEnd{
		ToolCallID: m.ToolCallID, ToolName: m.ToolName,
		Result: message.Result{Content: m.Content, Details: m.Details}, IsError: m.IsError,
	})
	v.emit(MessageStart{m})
	v.endMessage(m)
	v.run.turn.results = append(v.run.turn.results, m)
	delete(v.calls, id)
}

// asked returns the arguments of a call as the answer has them.
func (v *view) asked(id string) jsontext.Value {
	for _, c := range v.run.turn.message.Content {
		if call, ok := c.(message.ToolCall); ok && call.ID == id {
			return call.Arguments
		}
	}
	return jsontext.Value(`{}`)
}
