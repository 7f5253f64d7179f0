package agentair

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

func (TextChunk) variant() string               { return "TextChunk" }
func (ToolExecuting) variant() string           { return "ToolExecuting" }
func (ToolCompleted) variant() string           { return "ToolCompleted" }
func (Complete) variant() string                { return "Complete" }
func (PermissionRequired) variant() string      { return "PermissionRequired" }
func (BatchPermissionRequired) variant() string { return "BatchPermissionRequired" }
func (UserInteractionRequired) variant() string { return "UserInteractionRequired" }
func (TokenUpdate) variant() string             { return "TokenUpdate" }
func (Error) variant() string                   { return "Error" }
func (System) variant() string                  { return "System" }
func (Display) variant() string                 { return "Display" }
func (CommandComplete) variant() string         { return "CommandComplete" }

// encode returns a message as a line, without LF.
func encode(m UIMessage) []byte {
	if c, ok := m.(TextChunk); ok {
		return c.appendLine(make([]byte, 0, 112+len(c.Text)))
	}
	value := marshal(m)
	line := make([]byte, 0, len(value)+32)
	line = append(line, `{"`...)
	line = append(line, m.variant()...)
	line = append(line, `":`...)
	return append(append(line, value...), '}')
}

// appendLine returns the hottest line of the protocol, without reflection.
func (c TextChunk) appendLine(dst []byte) []byte {
	dst = append(dst, `{"TextChunk":{"text":`...)
	dst = wire.AppendString(dst, c.Text)
	dst = append(dst, `,"session_id":`...)
	dst = strconv.AppendInt(dst, c.SessionID, 10)
	dst = append(dst, `,"turn_id":{"role":"`...)
	dst = append(dst, c.TurnID.Role...)
	dst = append(dst, `","sequence":`...)
	dst = strconv.AppendUint(dst, c.TurnID.Sequence, 10)
	return append(dst, "}}}"...)
}

// marshal returns a value of the protocol as JSON. Such values are strings, numbers and JSON that
// was read: they can be written, unless the program has a defect.
func marshal(value any) []byte {
	data, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		panic("agentair: a message cannot be written: " + err.Error())
	}
	return data
}

// MarshalJSONTo writes the members that belong to the type of t.
func (t GrantTarget) MarshalJSONTo(e *jsontext.Encoder) error {
	type path struct {
		Type      GrantTargetType `json:"type"`
		Path      string          `json:"path"`
		Recursive bool            `json:"recursive"`
	}
	type pattern struct {
		Type    GrantTargetType `json:"type"`
		Pattern string          `json:"pattern"`
	}
	type named struct {
		Type     GrantTargetType `json:"type"`
		ToolName string          `json:"tool_name"`
	}
	switch t.Type {
	case GrantPath:
		return json.MarshalEncode(e, path{t.Type, t.Path, t.Recursive})
	case GrantTool:
		return json.MarshalEncode(e, named{t.Type, t.ToolName})
	}
	return json.MarshalEncode(e, pattern{t.Type, t.Pattern})
}
