package acp

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// marshal returns a value of the protocol as JSON. Such values are strings, numbers and JSON that was read: they can be
// written, unless the program has a defect.
func marshal(value any) []byte {
	data, err := json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("acp: a message cannot be written: " + err.Error())
	}
	return data
}

// FormProperties is an object of FormFields, in the order in which they are shown.
type FormProperties []FormProperty

// A FormProperty is a member of FormProperties.
type FormProperty struct {
	Name  string
	Field FormField
}

// MarshalJSONTo writes the members in their order.
func (p FormProperties) MarshalJSONTo(out *jsontext.Encoder) error {
	if err := out.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, property := range p {
		if err := out.WriteToken(jsontext.String(property.Name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(out, property.Field); err != nil {
			return err
		}
	}
	return out.WriteToken(jsontext.EndObject)
}

// resultLine returns the answer to a request.
func (c *conn) resultLine(id jsonrpc.ID, result any) []byte {
	return frames.AppendResult(nil, id, marshal(c.edition.result(result)))
}

// updateLine returns a session/update; nil: the client is not sent it.
func (s *session) updateLine(update any) []byte {
	if update = s.conn.edition.update(update); update == nil {
		return nil
	}
	return updateLine(s.id, update)
}

func errorLine(id jsonrpc.ID, e *jsonrpc.Error) []byte { return frames.AppendError(nil, id, e) }

func requestLine(id jsonrpc.ID, method string, params any) []byte {
	return frames.AppendRequest(nil, id, method, marshal(params))
}

func notification(method string, params any) []byte {
	return frames.AppendNotification(nil, method, marshal(params))
}

// updateLine returns a session/update. The most frequent one, a piece of text, is written without reflection.
func updateLine(session string, update any) []byte {
	chunk, ok := update.(MessageChunk)
	if !ok || chunk.Content.Type != "text" {
		return notification("session/update", SessionUpdate{session, update})
	}
	params := make([]byte, 0, 160+len(session)+len(chunk.MessageID)+len(*chunk.Content.Text))
	params = append(params, `{"sessionId":`...)
	params = wire.AppendString(params, session)
	params = append(params, `,"update":{"sessionUpdate":`...)
	params = wire.AppendString(params, chunk.SessionUpdate)
	if chunk.MessageID != "" {
		params = append(params, `,"messageId":`...)
		params = wire.AppendString(params, chunk.MessageID)
	}
	params = append(params, `,"content":{"type":"text","text":`...)
	params = wire.AppendString(params, *chunk.Content.Text)
	params = append(params, `}}}`...)
	return frames.AppendNotification(make([]byte, 0, len(params)+64), "session/update", params)
}

// text returns a block with a text.
func text(s string) ContentBlock { return ContentBlock{Type: "text", Text: &s} }

// oneLine returns a text without line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// appendLine appends a line, unless it is nil.
func appendLine(lines [][]byte, line []byte) [][]byte {
	if line == nil {
		return lines
	}
	return append(lines, line)
}
