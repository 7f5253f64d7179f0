package chat

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// parseResponses reads a request of the Responses wire.
func (c *Conversation) parseResponses(body []byte) error {
	var r struct {
		Instructions jsontext.Value   `json:"instructions"`
		Tools        []jsontext.Value `json:"tools"`
		Input        []jsontext.Value `json:"input"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	for _, whole := range r.Tools {
		var t struct {
			Name   string         `json:"name"`
			Schema jsontext.Value `json:"parameters"`
		}
		if err := json.Unmarshal(whole, &t); err != nil {
			return err
		}
		c.addTool(t.Name, t.Schema, whole)
	}
	if r.Instructions != nil {
		if err := json.Unmarshal(r.Instructions, &c.System); err != nil {
			return err
		}
		c.addHead(r.Instructions)
	}
	for _, whole := range r.Input {
		var item struct {
			Type    string  `json:"type"`
			Role    string  `json:"role"`
			Content content `json:"content"`
			CallID  string  `json:"call_id"`
			Output  content `json:"output"`
		}
		if err := json.Unmarshal(whole, &item); err != nil {
			return err
		}
		switch item.Type {
		case "function_call_output", "custom_tool_call_output":
			c.addMessage(Message{Role: "tool", Results: []Result{{CallID: item.CallID, Text: string(item.Output)}}}, whole)
		case "", "message":
			c.addMessage(Message{Role: item.Role, Text: string(item.Content)}, whole)
		default: // calls and reasoning
			c.addMessage(Message{Role: "assistant"}, whole)
		}
	}
	return nil
}
