package pi

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// codec is the rpc.Codec of pi: the method of a frame is the type of a command or event. That of a piece of an answer is the type of the
// piece, and its params are the text.
type codec struct{}

// line has the members that distinguish the lines.
type line struct {
	Type    string         `json:"type"`
	ID      jsontext.Value `json:"id"`
	Success bool           `json:"success"`
	Data    jsontext.Value `json:"data"`
	Error   string         `json:"error"`
	Method  string         `json:"method"`
	Update  struct {
		Type  string         `json:"type"`
		Delta jsontext.Value `json:"delta"`
	} `json:"assistantMessageEvent"`
}

// Parse implements rpc.Codec. Events that repeat what others have said come without params: they may be long.
func (codec) Parse(text []byte) (f rpc.Frame, answer, ok bool) {
	var l line
	if !decode(text, &l) || l.Type == "" {
		return f, false, false
	}
	f.Method = l.Type
	switch l.Type {
	case "response":
		if l.ID == nil {
			return f, false, false
		}
		f = rpc.Frame{ID: jsonrpc.ID(l.ID), Result: l.Data}
		if !l.Success {
			f.Err = &jsonrpc.Error{Message: l.Error}
		}
		return f, true, true
	case "extension_ui_request":
		f.Params = text
		if (dialog{Method: l.Method}).asks() && l.ID != nil {
			f.ID = jsonrpc.ID(l.ID)
		}
	case "message_update": // with the answer so far, twice
		if kind := l.Update.Type; kind == "text_delta" || kind == "thinking_delta" {
			f.Method, f.Params = kind, l.Update.Delta
		}
	case "message_start", "turn_start", "turn_end":
	default:
		f.Params = text
	}
	return f, false, true
}

// Request implements rpc.Codec.
func (codec) Request(id jsonrpc.ID, method string, params []byte) []byte {
	return appendLine([]byte(`{"id":`+string(id)+`,"type":"`+method+`"`), params)
}

// Notification implements rpc.Codec.
func (codec) Notification(method string, params []byte) []byte {
	return appendLine([]byte(`{"type":"`+method+`"`), params)
}

// Result implements rpc.Codec: the answer to a dialog.
func (c codec) Result(id jsonrpc.ID, result []byte) []byte {
	return c.Request(id, "extension_ui_response", result)
}

// Refusal implements rpc.Codec.
func (c codec) Refusal(id jsonrpc.ID, _ string) []byte {
	return c.Result(id, []byte(`{"cancelled":true}`))
}

// appendLine adds the members of params to a line, and ends it.
func appendLine(dst, params []byte) []byte {
	if len(params) > len("{}") {
		dst = append(dst, ',')
		return append(dst, params[1:]...)
	}
	return append(dst, '}')
}
