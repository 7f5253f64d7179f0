package scaiflux

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
)

// A view is what one controller has received, as far as the next message depends on it.
// render is a pure fold over it: record in, messages out.
type view struct {
	rules    []approval.Rule // of the project's own policy: advice only
	percent  int             // the last context_pct sent
	requests map[string]event.ApprovalID
	ids      map[event.ApprovalID]string
	asked    int // permission requests so far
	settings event.Settings
	client   int // the number of the connection in the session
}

func newView(rules []approval.Rule) *view {
	return &view{rules: rules, requests: map[string]event.ApprovalID{}, ids: map[event.ApprovalID]string{}}
}

// render returns the messages for a record. Kinds without a case have no
// message in this protocol.
func (v *view) render(rec event.Record) []any {
	turn := string(rec.Turn)
	switch e := rec.Event.(type) {
	case event.TextDelta:
		return []any{TextDelta{"text_delta", turn, e.Text}}
	case event.SessionChanged:
		return v.changed(e)
	case event.TurnStarted:
		return []any{TurnStarted{"turn_started", turn}}
	case event.ToolIntended:
		return []any{ToolStart{"tool_start", turn, string(e.Call), e.Name, dialect.Object(e.Input)}}
	case event.ToolEnded:
		return []any{ToolResult{"tool_result", turn, string(e.Call), e.Output, e.Outcome != event.Succeeded, seconds(time.Duration(e.Ran))}}
	case event.ApprovalAsked:
		if !e.Unattended {
			return []any{v.ask(e)}
		}
	case event.ApprovalAnswered:
		delete(v.requests, v.ids[e.ID])
		delete(v.ids, e.ID)
	case event.TurnEnded:
		return v.complete(rec.Turn, e)
	case event.Notice:
		if e.Code == engine.NoticeUnsaved {
			return []any{refuse("session_write_failed", e.Text)}
		}
	}
	return nil
}

// changed returns what another client has changed of the state that controllers are shown.
func (v *view) changed(e event.SessionChanged) []any {
	before := v.settings
	v.settings = e.Settings
	m := StateChanged{Type: "state_changed"}
	if mode := string(shownMode(e.Settings)); mode != string(shownMode(before)) {
		m.Mode = &mode
	}
	if e.Settings.Model != before.Model && e.Settings.Model != "" {
		m.Model = &e.Settings.Model
	}
	if now := gadgets(e.Settings.ToolGroups); !slices.Equal(now, gadgets(before.ToolGroups)) {
		m.Gadgets = &now
	}
	if e.Client.N == v.client || m.Mode == nil && m.Model == nil && m.Gadgets == nil {
		return nil
	}
	return []any{m}
}

func (v *view) ask(e event.ApprovalAsked) PermissionRequest {
	if _, err := approval.ParseMode(e.Mode); err != nil {
		e.Mode = string(shownMode(v.settings))
	}
	v.asked++
	id := "r-" + strconv.Itoa(v.asked)
	v.requests[id], v.ids[e.ID] = e.ID, id
	return PermissionRequest{
		Type: "permission_request", RequestID: id, Tool: e.Request.Tool,
		ActiveMode: e.Mode, RequiredMode: string(approval.Needed(e.Request)),
		Details: PermissionDetails{ToolInput: dialect.Object(e.Input), Reason: v.reason(e)},
	}
}

// DenyAdvice begins the reason of a call that a deny rule of the project is against.
const DenyAdvice = "matches deny rule "

// reason returns what a user has to know before deciding; nil if the input of the call and the
// modes say it all.
func (v *view) reason(e event.ApprovalAsked) *string {
	text := approval.Mode(e.Mode).Lack(e.Request)
	for _, rule := range slices.Backward(v.rules) {
		if rule.Verdict == approval.Deny && rule.Matches(e.Request) { // the first of them is reported
			text = DenyAdvice + rule.String() + " in " + configName
		}
	}
	if text = strings.Join(e.Request.Details(text, e.Files), "; "); text == "" {
		return nil
	}
	return &text
}

// complete returns the end of a turn: the new context percentage if it changed, the error of a
// turn that failed or had no budget left, and turn_complete, always last.
func (v *view) complete(turn event.TurnID, e event.TurnEnded) []any {
	var messages []any
	if p := percent(e.Context, e.Window); p != v.percent {
		v.percent = p
		messages = append(messages, StateChanged{Type: "state_changed", ContextPct: &p})
	}
	if e.Reason == event.TurnFailed || e.Reason == event.TurnBudget {
		messages = append(messages, failed(turn, e.Failure))
	}
	mutations := make([][2]string, len(e.Mutations))
	for i, m := range e.Mutations {
		mutations[i] = [2]string{m.Tool, m.Path}
	}
	return append(messages, TurnComplete{
		Type: "turn_complete", TurnID: string(turn), StopReason: stopReasons[e.Reason], Iterations: e.Rounds,
		InputTokens: e.Usage.Context(), OutputTokens: e.Usage.Output, Mutations: mutations,
	})
}

var stopReasons = map[event.TurnReason]string{
	event.TurnCompleted:   "end_turn",
	event.TurnRefused:     "end_turn",
	event.TurnInterrupted: "interrupted",
	event.TurnStepLimit:   "max_iterations",
	event.TurnMaxTokens:   "max_tokens",
	event.TurnBudget:      "error",
	event.TurnFailed:      "error",
}

// percent returns whole percent of the window, 0 to 100.
func percent(used, window int) int {
	if window <= 0 {
		return 0
	}
	return min(100, used*100/window)
}

func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// encode returns a message as a line, without LF.
func encode(message any) []byte {
	if d, ok := message.(TextDelta); ok {
		return d.appendJSON(make([]byte, 0, 64+len(d.TurnID)+len(d.Delta)))
	}
	line, err := json.Marshal(message, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		line, _ = json.Marshal(refuse("internal", "a message could not be written: "+err.Error())) // strings only: cannot fail
	}
	return line
}

// appendJSON returns the hottest line of the protocol, without reflection.
func (d TextDelta) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"text_delta","turn_id":`...)
	dst = wire.AppendString(dst, d.TurnID)
	dst = append(dst, `,"delta":`...)
	dst = wire.AppendString(dst, d.Delta)
	return append(dst, '}')
}

func lines(messages ...any) [][]byte {
	encoded := make([][]byte, len(messages))
	for i, m := range messages {
		encoded[i] = encode(m)
	}
	return encoded
}
