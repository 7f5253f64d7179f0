package chat

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// parseChat reads a request of the Chat Completions wire.
func (c *Conversation) parseChat(body []byte) error {
	var r struct {
		Tools    []jsontext.Value `json:"tools"`
		Messages []jsontext.Value `json:"messages"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	for _, whole := range r.Tools {
		var t struct {
			Function struct {
				Name   string         `json:"name"`
				Schema jsontext.Value `json:"parameters"`
			} `json:"function"`
		}
		if err := json.Unmarshal(whole, &t); err != nil {
			return err
		}
		c.addTool(t.Function.Name, t.Function.Schema, whole)
	}
	for _, whole := range r.Messages {
		var m struct {
			Role    string  `json:"role"`
			Content content `json:"content"`
			CallID  string  `json:"tool_call_id"`
		}
		if err := json.Unmarshal(whole, &m); err != nil {
			return err
		}
		switch m.Role {
		case "system", "developer":
			c.System += string(m.Content)
			c.addHead(whole)
		case "tool":
			c.addMessage(Message{Role: m.Role, Results: []Result{{CallID: m.CallID, Text: string(m.Content)}}}, whole)
		default:
			c.addMessage(Message{Role: m.Role, Text: string(m.Content)}, whole)
		}
	}
	return nil
}
