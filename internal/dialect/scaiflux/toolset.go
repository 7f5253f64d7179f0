package scaiflux

import (
	_ "embed"
	"errors"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
)

// The names and input schemas that controllers match on; inputs are closed objects.
//
//go:embed toolset.json
var toolsetJSON []byte

// A shownTool is an entry of toolset.json. Rename maps the shown names of input members to
// the tool's own; Set adds members.
type shownTool struct {
	Name        string                    `json:"name"`
	Tool        string                    `json:"tool"`
	Group       string                    `json:"group,omitzero"` // the gadget it belongs to
	Mode        string                    `json:"mode"`           // that a call inside the workspace requires
	Description string                    `json:"description"`
	Schema      jsontext.Value            `json:"schema"`
	Rename      map[string]string         `json:"rename,omitzero"`
	Set         map[string]jsontext.Value `json:"set,omitzero"`
}

var shownTools = sync.OnceValue(func() []shownTool {
	var tools []shownTool
	if err := json.Unmarshal(toolsetJSON, &tools); err != nil {
		panic("toolset.json: " + err.Error()) // it is part of the program, and tested
	}
	return tools
})

// requiredMode is the mode that a call of the tool inside the workspace requires.
func requiredMode(name string) string {
	for _, t := range shownTools() {
		if t.Name == name {
			return t.Mode
		}
	}
	return ""
}

func toolset() []engine.Binding {
	var bindings []engine.Binding
	for _, t := range shownTools() {
		b := engine.Binding{Name: t.Name, Tool: t.Tool, Group: t.Group, Description: t.Description, Schema: t.Schema, Adapt: t.adapt}
		if t.Name == "TodoWrite" {
			b.Adapt = adaptTodos
		}
		bindings = append(bindings, b)
	}
	return bindings
}

// adapt turns a valid shown input into the tool's own.
func (t shownTool) adapt(input jsontext.Value) (jsontext.Value, error) {
	var shown map[string]jsontext.Value
	if err := json.Unmarshal(input, &shown); err != nil {
		return nil, err
	}
	if string(shown["run_in_background"]) == "true" {
		return nil, errors.New("run_in_background is not supported: run the command in the foreground, with a timeout")
	}
	delete(shown, "run_in_background")
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

func adaptTodos(input jsontext.Value) (jsontext.Value, error) {
	var shown struct {
		Todos []struct {
			Content    string `json:"content"`
			ActiveForm string `json:"activeForm"`
			Status     string `json:"status"`
		} `json:"todos"`
	}
	if err := json.Unmarshal(input, &shown); err != nil {
		return nil, err
	}
	type item struct {
		Text   string `json:"text"`
		Active string `json:"active,omitzero"`
		Status string `json:"status"`
	}
	own := struct {
		Items []item `json:"items"`
	}{}
	for _, todo := range shown.Todos {
		own.Items = append(own.Items, item{todo.Content, todo.ActiveForm, todo.Status})
	}
	return json.Marshal(own)
}
