package dialect

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
)

// A ShownTool is one of our tools under the name that models and clients of a protocol know:
// an entry of toolset.json. Without a schema the input is the tool's own.
type ShownTool struct {
	Name        string                    `json:"name"`
	Tool        string                    `json:"tool"`
	Group       string                    `json:"group,omitzero"`
	Family      engine.Family             `json:"family,omitzero"` // of the models that are offered it; "": all are
	Mode        string                    `json:"mode,omitzero"`   // that a call inside the workspace requires, where the protocol tells
	Description string                    `json:"description,omitzero"`
	Schema      jsontext.Value            `json:"schema,omitzero"`
	Rename      map[string]string         `json:"rename,omitzero"` // shown members to the tool's own
	Set         map[string]jsontext.Value `json:"set,omitzero"`    // the tool's own members where the shown input has none
}

// ReadTools reads a toolset.json. It panics if that is broken: it is part of the program.
func ReadTools(toolset []byte) []ShownTool {
	var tools []ShownTool
	if err := json.Unmarshal(toolset, &tools); err != nil {
		panic("toolset.json: " + err.Error())
	}
	return tools
}

// Binding offers the tool. Change does to a shown input what has to be done beside new names,
// or says in its error why the input is refused; nil: nothing.
func (t ShownTool) Binding(change func(shown map[string]jsontext.Value) error) engine.Binding {
	b := engine.Binding{Name: t.Name, Tool: t.Tool, Group: t.Group, Family: t.Family, Description: t.Description, Schema: t.Schema}
	if t.Schema != nil {
		b.Adapt = func(input jsontext.Value) (jsontext.Value, error) { return t.adapt(input, change) }
	}
	return b
}

// adapt turns a valid shown input into the tool's own.
func (t ShownTool) adapt(input jsontext.Value, change func(map[string]jsontext.Value) error) (jsontext.Value, error) {
	var shown map[string]jsontext.Value
	if err := json.Unmarshal(input, &shown); err != nil {
		return nil, err
	}
	if change != nil {
		if err := change(shown); err != nil {
			return nil, err
		}
	}
	own := make(map[string]jsontext.Value, len(shown)+len(t.Set))
	for name, value := range t.Set {
		own[name] = value
	}
	for name, value := range shown {
		if renamed, ok := t.Rename[name]; ok {
			name = renamed
		}
		own[name] = value
	}
	return json.Marshal(own, json.Deterministic(true))
}
