package loaf

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/event"
)

// This file shows tool calls.

func (v *view) startCall(e event.ToolIntended) {
	t := v.turn
	if len(t.calls) == 0 && len(t.executed) == 0 {
		t.round++
	}
	t.calls[e.Call] = e
	input := dialect.Object(e.Input)
	v.emit(EventToolCallStarted, ToolCallStarted{v.session, t.id, ToolStartedData{
		e.Name, string(e.Call), t.round, ToolCall{e.Name, input, e.Name, string(e.Call)},
	}})
	v.debug("tool_call_started", map[string]any{"tool": e.Name, "call_id": string(e.Call)})
	v.estimate()
}

func (v *view) endCall(e event.ToolEnded) {
	t := v.turn
	call, ok := t.calls[e.Call]
	if !ok {
		return
	}
	delete(t.calls, e.Call)
	done := Executed{Name: call.Name, OK: e.Outcome == event.Succeeded, Input: dialect.Object(call.Input), Result: resultOf(call, e)}
	if !done.OK {
		done.Error = problemOf(e)
		t.failures++
	}
	t.executed = append(t.executed, done)
	v.emit(EventToolCallCompleted, ToolCallCompleted{v.session, t.id, ToolCompletedData{call.Name, string(e.Call), done.OK, t.round, done}})
	v.debug("tool_call_completed", map[string]any{"tool": call.Name, "call_id": string(e.Call), "ok": done.OK})
}

// endRound closes a round of calls.
func (v *view) endRound() {
	t := v.turn
	if len(t.executed) == 0 {
		return
	}
	v.emit(EventToolResults, ToolResults{v.session, t.id, ToolResultsData{t.round, t.executed}})
	v.debug("tool_results", map[string]any{"round": t.round, "calls": len(t.executed)})
	for range len(t.executed) + t.failures {
		v.estimate()
	}
	t.executed, t.failures = nil, 0
}

// notFound is the result of a call of a tool that there is not.
type notFound struct {
	CallID string `json:"callId"`
	Tool   string `json:"tool"`
	Status string `json:"status"` // not_found
}

// resultOf returns the result in its tool's own form: an object for the shell, else what the
// model received.
func resultOf(call event.ToolIntended, e event.ToolEnded) jsontext.Value {
	switch {
	case e.Shell != nil:
	case e.Reply != nil:
		return e.Reply.Content
	case e.Output == fmt.Sprintf(unknownTool, call.Name):
		return value(notFound{string(e.Call), call.Name, "not_found"})
	default:
		return value(e.Output)
	}
	return value(bashResult(call, e))
}

// problemOf returns why a call failed, in a few words.
func problemOf(e event.ToolEnded) string {
	switch {
	case e.Shell == nil:
		return e.Output
	case e.Shell.TimedOut:
		return fmt.Sprintf("process timed out (%s)", dialect.Ending(e.Shell.Note))
	case e.Outcome == event.Interrupted:
		return "process aborted (no exit code)"
	case e.Shell.Signal != "":
		return fmt.Sprintf("process failed (%s)", e.Shell.Signal)
	case e.Shell.ExitCode == 0: // a hook finds fault with it
		return strings.TrimSpace(e.Shell.Note)
	}
	return fmt.Sprintf("process failed (exit code %d)", e.Shell.ExitCode)
}

// value returns v as JSON. Values of the protocol can be written, unless the program has a defect.
func value(v any) jsontext.Value {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		panic("loaf: a message cannot be written: " + err.Error())
	}
	return data
}

// debug sends internal states, if they were switched on.
func (v *view) debug(stage string, data map[string]any) {
	v.out = append(v.out, signal{name: EventDebug, params: SessionDebug{v.session, v.turn.id, stage, value(data)}, debug: true})
}
