package dialect

import (
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
)

// A ShownTool is one of our tools as a protocol shows it: an entry of its toolset.json.
// Without a schema the input is the tool's own.
type ShownTool struct {
	Name        string                    `json:"name"`
	Tool        string                    `json:"tool"`           // our name of it
	Group       string                    `json:"group,omitzero"` // what it is switched on with
	Mode        string                    `json:"mode,omitzero"`  // of approval that a call inside the workspace requires
	Description string                    `json:"description,omitzero"`
	Schema      jsontext.Value            `json:"schema,omitzero"`
	Rename      map[string]string         `json:"rename,omitzero"` // shown members to the tool's own
	Set         map[string]jsontext.Value `json:"set,omitzero"`    // the tool's own members where the shown input has none
}

// ReadToolset gives the tools of a toolset.json, which is read when they are first asked for.
func ReadToolset(data []byte) func() []ShownTool {
	return sync.OnceValue(func() []ShownTool {
		var tools []ShownTool
		if err := json.Unmarshal(data, &tools); err != nil {
			panic("toolset.json: " + err.Error()) // it is part of the program, and tested
		}
		return tools
	})
}

// Change does to the shown input of a tool what new names do not.
type Change func(shown map[string]jsontext.Value) error

// Binding is the tool for the engine; change may be nil.
func (t ShownTool) Binding(change Change) engine.Binding {
	b := engine.Binding{Name: t.Name, Tool: t.Tool, Group: t.Group, Description: t.Description, Schema: t.Schema}
	if t.Schema != nil {
		b.Adapt = func(input jsontext.Value) (jsontext.Value, error) { return t.adapt(input, change) }
	}
	return b
}

// adapt turns a valid shown input into the tool's own.
func (t ShownTool) adapt(input jsontext.Value, change Change) (jsontext.Value, error) {
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
