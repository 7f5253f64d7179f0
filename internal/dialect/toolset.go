package dialect

import (
	"bytes"
	"fmt"
	"slices"

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
	Mode        string                    `json:"mode,omitzero"`   // that a call inside the workspace requires, where the protocol has it
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

// A Change is what has to be done to the members of an input besides new names. Each function changes its argument; nil: nothing.
type Change struct {
	// Adapt is given the shown input, before its members are renamed. Its error reports why the input is refused.
	Adapt func(shown map[string]jsontext.Value) error
	// Show reverses Adapt: it is given the tool's own input, its members renamed already. Its error reports why the input cannot be shown.
	Show func(members map[string]jsontext.Value) error
}

// Binding offers the tool, with a change of its inputs.
func (t ShownTool) Binding(change Change) engine.Binding {
	b := engine.Binding{Name: t.Name, Tool: t.Tool, Group: t.Group, Family: t.Family, Description: t.Description, Schema: t.Schema}
	if t.Schema != nil {
		b.Adapt = func(input jsontext.Value) (jsontext.Value, error) { return t.adapt(input, change.Adapt) }
		b.Show = func(own jsontext.Value) (jsontext.Value, error) { return t.show(own, change.Show) }
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

// Incidental are the members of our tools' inputs that can be left out where a protocol does not have them: a call does the same
// without them, or shows the same in another form.
var Incidental = []string{"description", "justification", "separate", "reset", "timeout_ms", "line_numbers", "max_bytes"}

// show turns a valid input of the tool into the shown one. It is the reverse of adapt, but for what is Incidental. The error names
// a member that the shown input cannot have.
func (t ShownTool) show(own jsontext.Value, change func(map[string]jsontext.Value) error) (jsontext.Value, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(own, &members); err != nil {
		return nil, err
	}
	shown := make(map[string]jsontext.Value, len(members))
	for name, value := range members {
		shown[t.shownName(name)] = value
	}
	if change != nil {
		if err := change(shown); err != nil {
			return nil, err
		}
	}
	var schema struct {
		Properties map[string]jsontext.Value `json:"properties"`
	}
	if err := json.Unmarshal(t.Schema, &schema); err != nil {
		return nil, err
	}
	for name, value := range shown {
		if schema.Properties[name] != nil {
			continue
		}
		if !slices.Contains(Incidental, name) && !bytes.Equal(value, t.Set[name]) {
			return nil, fmt.Errorf("%s has no member for %s", t.Name, name)
		}
		delete(shown, name)
	}
	return json.Marshal(shown, json.Deterministic(true))
}

// shownName returns the shown name of a member of the tool's own input.
func (t ShownTool) shownName(own string) string {
	for shown, name := range t.Rename {
		if name == own {
			return shown
		}
	}
	return own
}
