package scaiflux

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// A reader is the strictest controller there can be: it decodes every line against the
// closed schema and holds the stream to the ordering rules of the protocol.
type reader struct {
	turn      string // the open turn, or ""
	tool      string // the open tool call, or ""
	toolName  string
	asked     bool            // the open tool call had its permission request
	failed    bool            // the open turn had its error: only turn_complete may follow
	turns     map[string]bool // every turn id seen
	tools     map[string]bool // every tool id seen
	requests  map[string]bool // every request id seen
	delivered string          // text of the open turn
}

func newReader() *reader {
	return &reader{turns: map[string]bool{}, tools: map[string]bool{}, requests: map[string]bool{}}
}

// Two messages hold what the strict reader does not decode by type; these hold it raw.
type (
	rawTurnComplete struct {
		Type         string         `json:"type"`
		TurnID       string         `json:"turn_id"`
		StopReason   string         `json:"stop_reason" enum:"end_turn,interrupted,max_iterations,max_tokens,error"`
		Iterations   int            `json:"iterations"`
		InputTokens  int            `json:"input_tokens"`
		OutputTokens int            `json:"output_tokens"`
		Mutations    jsontext.Value `json:"mutations"`
	}
	rawSlashResult struct {
		Type         string         `json:"type"`
		Command      string         `json:"command"`
		Text         string         `json:"text"`
		Data         jsontext.Value `json:"data"`
		ClearSession bool           `json:"clear_session"`
		Exit         bool           `json:"exit"`
	}
)

// line takes the next line; an error reports which rule it breaks.
func (r *reader) line(line []byte) error {
	obj, err := wire.ParseObject(line, wire.ObjectOptions{})
	if err != nil {
		return err
	}
	raw, _ := obj.Get("type")
	var name string
	if err := json.Unmarshal(raw, &name); err != nil {
		return fmt.Errorf("type: %w", err)
	}
	if names := obj.Names(); names[0] != "type" {
		return fmt.Errorf("%s: the first field is %q", name, names[0])
	}
	if r.failed && name != "turn_complete" {
		return fmt.Errorf("%s stands between the error of a turn and its turn_complete", name)
	}
	switch name {
	case "ready":
		return obj.Decode(&Ready{})
	case "turn_started":
		return r.turnStarted(obj)
	case "text_delta":
		return r.textDelta(obj)
	case "tool_start":
		return r.toolStart(obj)
	case "permission_request":
		return r.permissionRequest(obj)
	case "tool_result":
		return r.toolResult(obj)
	case "turn_complete":
		return r.turnComplete(obj)
	case "slash_result":
		return r.slashResult(obj)
	case "state_changed":
		return r.stateChanged(obj)
	case "error":
		return r.failure(obj)
	}
	return fmt.Errorf("unknown type %q", name)
}

func (r *reader) turnStarted(obj wire.Object) error {
	var m TurnStarted
	if err := obj.Decode(&m); err != nil {
		return err
	}
	if r.turn != "" || r.turns[m.TurnID] {
		return fmt.Errorf("turn_started %s in turn %q", m.TurnID, r.turn)
	}
	r.turn, r.turns[m.TurnID], r.delivered = m.TurnID, true, ""
	return nil
}

func (r *reader) textDelta(obj wire.Object) error {
	var m TextDelta
	if err := obj.Decode(&m); err != nil {
		return err
	}
	if m.TurnID != r.turn || r.tool != "" || m.Delta == "" {
		return fmt.Errorf("text_delta %q of turn %q in turn %q, tool %q", m.Delta, m.TurnID, r.turn, r.tool)
	}
	r.delivered += m.Delta
	return nil
}

func (r *reader) toolStart(obj wire.Object) error {
	var m ToolStart
	if err := obj.Decode(&m); err != nil {
		return err
	}
	if m.TurnID != r.turn || r.tool != "" || r.tools[m.ToolID] || m.ToolID == "" || m.Input.Kind() != '{' {
		return fmt.Errorf("tool_start %s %s in turn %q after tool %q", m.ToolID, m.Input, r.turn, r.tool)
	}
	r.tool, r.toolName, r.asked, r.tools[m.ToolID] = m.ToolID, m.Name, false, true
	return nil
}

func (r *reader) permissionRequest(obj wire.Object) error {
	var m PermissionRequest
	if err := obj.Decode(&m); err != nil {
		return err
	}
	inner := r.toolName == "Agent"                              // subagents ask under it, for their own tools
	again := r.asked && !strings.HasPrefix(r.toolName, "mcp__") // servers may ask while a call runs
	if r.tool == "" || !inner && (again || m.Tool != r.toolName) || r.requests[m.RequestID] || m.Details.ToolInput.Kind() != '{' {
		return fmt.Errorf("permission_request %s for %s in tool %q", m.RequestID, m.Tool, r.tool)
	}
	if !slices.Contains([]string{"read-only", "workspace-write", "danger-full-access"}, m.RequiredMode) {
		return fmt.Errorf("required_mode %q", m.RequiredMode)
	}
	if want := fmt.Sprintf("r-%d", len(r.requests)+1); m.RequestID != want {
		return fmt.Errorf("request_id %q, not %q", m.RequestID, want)
	}
	r.asked, r.requests[m.RequestID] = true, true
	return nil
}

func (r *reader) toolResult(obj wire.Object) error {
	var m ToolResult
	if err := obj.Decode(&m); err != nil {
		return err
	}
	if m.TurnID != r.turn || m.ToolID != r.tool || m.DurationS < 0 {
		return fmt.Errorf("tool_result %s of turn %q in turn %q, tool %q", m.ToolID, m.TurnID, r.turn, r.tool)
	}
	if !m.IsError && !r.asked {
		return fmt.Errorf("tool %s ran without a permission request", m.ToolID)
	}
	r.tool = ""
	return nil
}

func (r *reader) turnComplete(obj wire.Object) error {
	var m rawTurnComplete
	if err := obj.Decode(&m); err != nil {
		return err
	}
	if m.TurnID != r.turn || r.tool != "" || r.failed != (m.StopReason == "error") {
		return fmt.Errorf("turn_complete %s %s in turn %q, tool %q", m.TurnID, m.StopReason, r.turn, r.tool)
	}
	var mutations [][2]string
	if err := json.Unmarshal(m.Mutations, &mutations); err != nil || m.Mutations.Kind() != '[' {
		return fmt.Errorf("mutations %s: %w", m.Mutations, err)
	}
	r.turn, r.failed = "", false
	return nil
}

func (r *reader) slashResult(obj wire.Object) error {
	var m rawSlashResult
	if err := obj.Decode(&m); err != nil {
		return err
	}
	if kind := m.Data.Kind(); kind != '{' && kind != 'n' {
		return fmt.Errorf("data is %s", m.Data)
	}
	if strings.HasPrefix(m.Command, "/") {
		return fmt.Errorf("command %q", m.Command)
	}
	return nil
}

func (r *reader) stateChanged(obj wire.Object) error {
	var m StateChanged
	if err := obj.Decode(&m); err != nil {
		return err
	}
	if len(obj.Names()) < 2 {
		return fmt.Errorf("state_changed without a change")
	}
	for _, name := range obj.Names() {
		if value, _ := obj.Get(name); value.Kind() == 'n' {
			return fmt.Errorf("state_changed.%s is null", name)
		}
	}
	if m.ContextPct != nil && (*m.ContextPct < 0 || *m.ContextPct > 100) {
		return fmt.Errorf("context_pct %d", *m.ContextPct)
	}
	return nil
}

func (r *reader) failure(obj wire.Object) error {
	var m Error
	if err := obj.Decode(&m); err != nil {
		return err
	}
	if !slices.Contains([]string{"local", "remote", "unknown"}, m.Origin) || m.Code == "" || m.Message == "" {
		return fmt.Errorf("error %+v", m)
	}
	if m.TurnID != "" {
		if m.TurnID != r.turn || r.tool != "" {
			return fmt.Errorf("error of turn %s in turn %q, tool %q", m.TurnID, r.turn, r.tool)
		}
		r.failed = true
	}
	return nil
}

// TestReader shows that the strict reader sees each kind of breach, so that its silence
// elsewhere means something.
func TestReader(t *testing.T) {
	const (
		start  = `{"type":"turn_started","turn_id":"t"}`
		tool   = `{"type":"tool_start","turn_id":"t","tool_id":"c","name":"bash","input":{}}`
		ask    = `{"type":"permission_request","request_id":"r-1","tool":"bash","active_mode":"prompt","required_mode":"read-only","details":{"tool_input":{},"reason":null}}`
		result = `{"type":"tool_result","turn_id":"t","tool_id":"c","output":"","is_error":false,"duration_s":0.5}`
		fail   = `{"type":"error","code":"internal","message":"m","origin":"local","turn_id":"t"}`
		end    = `{"type":"turn_complete","turn_id":"t","stop_reason":"end_turn","iterations":0,"input_tokens":0,"output_tokens":0,"mutations":[]}`
		broken = `{"type":"turn_complete","turn_id":"t","stop_reason":"error","iterations":0,"input_tokens":0,"output_tokens":0,"mutations":[]}`
		delta  = `{"type":"text_delta","turn_id":"t","delta":"x"}`
	)
	sound := [][]string{
		{start, delta, tool, ask, result, delta, end},
		{start, delta, fail, broken},
		{`{"type":"state_changed","context_pct":3}`, `{"type":"slash_result","command":"exit","text":"bye","data":null,"clear_session":false,"exit":true}`},
	}
	for _, lines := range sound {
		if at, err := readLines(lines); err != nil {
			t.Errorf("sound line %d of %q: %v", at, lines, err)
		}
	}
	breaches := map[string][]string{
		"delta outside a turn":         {delta},
		"delta in a tool call":         {start, tool, delta},
		"empty delta":                  {start, `{"type":"text_delta","turn_id":"t","delta":""}`},
		"second turn":                  {start, `{"type":"turn_started","turn_id":"u"}`},
		"turn id used twice":           {start, end, start},
		"second tool before the first": {start, tool, `{"type":"tool_start","turn_id":"t","tool_id":"d","name":"bash","input":{}}`},
		"tool id used twice":           {start, tool, ask, result, tool},
		"input not an object":          {start, `{"type":"tool_start","turn_id":"t","tool_id":"c","name":"bash","input":"x"}`},
		"two requests for one call":    {start, tool, ask, strings.Replace(ask, "r-1", "r-2", 1)},
		"request id used twice":        {start, tool, ask, result, strings.Replace(tool, `"c"`, `"d"`, 1), ask},
		"request outside a call":       {start, ask},
		"ran without a request":        {start, tool, result},
		"result twice":                 {start, tool, ask, result, result},
		"end inside a call":            {start, tool, end},
		"end twice":                    {start, end, end},
		"error without stop reason":    {start, fail, end},
		"stop reason without error":    {start, broken},
		"something after the error":    {start, fail, delta},
		"error of another turn":        {start, strings.Replace(fail, `"t"`, `"u"`, 1)},
		"null mutations":               {start, strings.Replace(end, "[]", "null", 1)},
		"unknown field":                {`{"type":"turn_started","turn_id":"t","x":1}`},
		"missing field":                {`{"type":"turn_started"}`},
		"type not first":               {`{"turn_id":"t","type":"turn_started"}`},
		"empty state change":           {`{"type":"state_changed"}`},
		"null in a state change":       {`{"type":"state_changed","mode":null}`},
		"data an array":                {`{"type":"slash_result","command":"x","text":"","data":[],"clear_session":false,"exit":false}`},
	}
	for name, lines := range breaches {
		if at, err := readLines(lines); err == nil || at != len(lines)-1 {
			t.Errorf("%s: not seen, or at line %d: %v", name, at, err)
		}
	}
}

// readLines gives lines to a fresh reader; at is where it stopped.
func readLines(lines []string) (at int, err error) {
	r := newReader()
	for at, line := range lines {
		if err := r.line([]byte(line)); err != nil {
			return at, err
		}
	}
	return len(lines), nil
}
