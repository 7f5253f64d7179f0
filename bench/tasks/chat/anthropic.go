package chat

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// parseAnthropic reads a request of the Messages wire.
func (c *Conversation) parseAnthropic(body []byte) error {
	var r struct {
		System   jsontext.Value   `json:"system"`
		Tools    []jsontext.Value `json:"tools"`
		Messages []jsontext.Value `json:"messages"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	for _, whole := range r.Tools {
		var t struct {
			Name   string         `json:"name"`
			Schema jsontext.Value `json:"input_schema"`
		}
		if err := json.Unmarshal(whole, &t); err != nil {
			return err
		}
		c.addTool(t.Name, t.Schema, whole)
	}
	if r.System != nil {
		var system content
		if err := json.Unmarshal(r.System, &system); err != nil {
			return err
		}
		c.System = string(system)
		c.addHead(r.System)
	}
	for _, whole := range r.Messages {
		var m struct {
			Role    string `json:"role"`
			Content []struct {
				Type    string  `json:"type"`
				Text    string  `json:"text"`
				CallID  string  `json:"tool_use_id"`
				Content content `json:"content"`
				Failed  bool    `json:"is_error"`
			} `json:"content"`
		}
		if err := json.Unmarshal(whole, &m); err != nil {
			return err
		}
		said := Message{Role: m.Role}
		for _, block := range m.Content {
			switch block.Type {
			case "text":
				said.Text += block.Text + "\n"
			case "tool_result":
				said.Results = append(said.Results, Result{block.CallID, string(block.Content), block.Failed})
			}
		}
		c.addMessage(said, whole)
	}
	return nil
}
