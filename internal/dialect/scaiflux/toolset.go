package scaiflux

import (
	_ "embed"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
)

// The names and input schemas that controllers match on; inputs are closed objects.
//
//go:embed toolset.json
var toolsetJSON []byte

var shownTools = lazy.Value[[]dialect.ShownTool]{New: func() []dialect.ShownTool { return dialect.ReadTools(toolsetJSON) }}

// requiredMode returns the mode that a call of the tool inside the workspace requires.
func requiredMode(name string) string {
	for _, t := range shownTools.Get() {
		if t.Name == name {
			return t.Mode
		}
	}
	return ""
}

// toolset is the same one for every session.
var toolset = lazy.Value[[]engine.Binding]{New: func() []engine.Binding {
	var bindings []engine.Binding
	for _, t := range shownTools.Get() {
		b := t.Binding(dialect.Change{Adapt: changeBackground, Show: shows[t.Name]})
		if t.Name == "TodoWrite" {
			b.Adapt, b.Show = adaptTodos, showTodos
		}
		bindings = append(bindings, b)
	}
	return bindings
}}

func changeBackground(shown map[string]jsontext.Value) error {
	if string(shown["run_in_background"]) == "true" {
		return errors.New("run_in_background is not supported: run the command in the foreground, with a timeout")
	}
	delete(shown, "run_in_background")
	return nil
}

// shows is what has to be done to the own inputs of some tools beside new names.
var shows = map[string]func(members map[string]jsontext.Value) error{
	"WebFetch": func(members map[string]jsontext.Value) error {
		if members["prompt"] == nil {
			members["prompt"] = jsontext.Value(`""`)
		}
		return nil
	},
}

// A shownTodo is a step of the plan as controllers know it, an ownTodo the same as our tool does.
type (
	shownTodo struct {
		Content    string `json:"content"`
		ActiveForm string `json:"activeForm"`
		Status     string `json:"status"`
	}
	ownTodo struct {
		Text   string `json:"text"`
		Active string `json:"active,omitzero"`
		Status string `json:"status"`
	}
)

func showTodos(input jsontext.Value) (jsontext.Value, error) {
	var own struct {
		Items []ownTodo `json:"items"`
	}
	if err := json.Unmarshal(input, &own); err != nil {
		return nil, err
	}
	shown := struct {
		Todos []shownTodo `json:"todos"`
	}{}
	for _, item := range own.Items {
		shown.Todos = append(shown.Todos, shownTodo{item.Text, item.Active, item.Status})
	}
	return json.Marshal(shown)
}

func adaptTodos(input jsontext.Value) (jsontext.Value, error) {
	var shown struct {
		Todos []shownTodo `json:"todos"`
	}
	if err := json.Unmarshal(input, &shown); err != nil {
		return nil, err
	}
	own := struct {
		Items []ownTodo `json:"items"`
	}{}
	for _, todo := range shown.Todos {
		own.Items = append(own.Items, ownTodo{todo.Content, todo.ActiveForm, todo.Status})
	}
	return json.Marshal(own)
}
