package telemetry

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/text"
)

// maxContent is how many bytes of a text are exported: collectors refuse large requests.
const maxContent = 16 << 10

// cut returns a text without what is beyond maxContent.
func cut(s string) string { return text.Clip(s, maxContent, "…") }

// A part is a piece of a message, in the form of the conventions.
type part struct {
	Type      string         `json:"type"`
	Content   string         `json:"content,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
}

// message returns a message in the form of the conventions: text, and tool calls.
func message(role string, blocks []model.Block) string {
	parts := []part{}
	for _, b := range blocks {
		switch {
		case b.Call != nil:
			p := part{Type: "tool_call", ID: b.Call.ID, Name: b.Call.Name}
			if len(b.Call.Input) <= maxContent && b.Call.Input.IsValid() {
				p.Arguments = b.Call.Input
			}
			parts = append(parts, p)
		case b.Kind == model.KindText && b.Text != "":
			parts = append(parts, part{Type: "text", Content: cut(b.Text)})
		}
	}
	line, err := json.Marshal([]struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}{{role, parts}})
	if err != nil {
		return ""
	}
	return string(line)
}
