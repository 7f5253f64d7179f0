package agentair

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
)

// The names and inputs of tools that models and clients of the protocol know, as far as our
// tools can do what they say; those of one line are ours under our names.
//
//go:embed toolset.json
var toolsetJSON []byte

var shownTools = lazy.Value[[]dialect.ShownTool]{New: func() []dialect.ShownTool { return dialect.ReadTools(toolsetJSON) }}

// toolset is the same one for every session.
var toolset = lazy.Value[[]engine.Binding]{New: func() []engine.Binding {
	var bindings []engine.Binding
	for _, t := range shownTools.Get() {
		b := t.Binding(dialect.Change{
			Adapt: func(shown map[string]jsontext.Value) error { return change(t.Name, shown) },
			Show:  shows[t.Name],
		})
		if t.Name == "ask_user_questions" {
			b.Adapt, b.Show = adaptQuestions, nil // an agent's questions are no calls
		}
		b.AdaptResult = results[t.Name]
		bindings = append(bindings, b)
	}
	return bindings
}}

// permissionsTool is the name of the tool that requests a permission ahead of the calls that
// need it.
const permissionsTool = "ask_for_permissions"

// sandboxedToolset is the toolset where the sandbox decides what is requested: there, nothing has to
// be requested ahead.
var sandboxedToolset = lazy.Value[[]engine.Binding]{New: func() []engine.Binding {
	return slices.DeleteFunc(slices.Clone(toolset.Get()), func(b engine.Binding) bool { return b.Name == permissionsTool })
}}

// change does what has to be done to a shown input beside new names.
func change(tool string, shown map[string]jsontext.Value) error {
	if err := demandAbsolute(tool, shown); err != nil {
		return err
	}
	if tool == "multi_edit" {
		return changeEdits(shown)
	}
	return nil
}

// demandAbsolute refuses relative paths where the protocol has absolute ones only.
func demandAbsolute(tool string, shown map[string]jsontext.Value) error {
	for _, member := range []string{"file_path", "working_dir", "path"} {
		value, ok := shown[member]
		if !ok || member == "path" && tool != "ls" {
			continue
		}
		var name string
		if err := json.Unmarshal(value, &name); err != nil {
			return err
		}
		if !filepath.IsAbs(name) {
			return fmt.Errorf("%s has to be an absolute path, which %q is not: begin it with the folder of the workspace", member, abridged(name))
		}
	}
	return nil
}

// shows is what has to be done to the own inputs of some tools beside new names.
var shows = map[string]func(members map[string]jsontext.Value) error{"multi_edit": showEdits}

// A shownEdit is an edit of several as clients know it, an ownEdit the same as our tool does.
type (
	shownEdit struct {
		Old        string `json:"old_string"`
		New        string `json:"new_string"`
		ReplaceAll bool   `json:"replace_all,omitzero"`
	}
	ownEdit struct {
		Old        string `json:"old"`
		New        string `json:"new"`
		ReplaceAll bool   `json:"replace_all,omitzero"`
	}
)

// changeEdits gives the members of each edit our names.
func changeEdits(shown map[string]jsontext.Value) error {
	var edits []shownEdit
	if err := json.Unmarshal(shown["edits"], &edits); err != nil {
		return err
	}
	own := make([]ownEdit, len(edits))
	for i, e := range edits {
		own[i] = ownEdit(e)
	}
	var err error
	shown["edits"], err = json.Marshal(own)
	return err
}

// showEdits gives the members of each edit the names that clients know. An input without edits does not fit the tool.
func showEdits(members map[string]jsontext.Value) error {
	listed, ok := members["edits"]
	if !ok {
		return nil
	}
	var own []ownEdit
	if err := json.Unmarshal(listed, &own); err != nil {
		return err
	}
	edits := make([]shownEdit, len(own))
	for i, e := range own {
		edits[i] = shownEdit(e)
	}
	var err error
	members["edits"], err = json.Marshal(edits)
	return err
}

// A shownQuestion is a question as the model writes it. Whether it has to be answered and
// what stands there at first are for the client only: see questionsOf.
type shownQuestion struct {
	Text    string       `json:"text"`
	Type    QuestionType `json:"type"`
	Choices []string     `json:"choices"`
}

// adaptQuestions makes questions of ours.
func adaptQuestions(input jsontext.Value) (jsontext.Value, error) {
	var shown struct {
		Questions []shownQuestion `json:"questions"`
	}
	if err := json.Unmarshal(input, &shown); err != nil {
		return nil, err
	}
	type option struct {
		Label string `json:"label"`
	}
	type question struct {
		Question string   `json:"question"`
		Options  []option `json:"options,omitzero"`
		Multi    bool     `json:"multi,omitzero"`
	}
	own := struct {
		Questions []question `json:"questions"`
		Format    string     `json:"format"`
	}{Format: "json"}
	for _, q := range shown.Questions {
		asked := question{Question: q.Text, Multi: q.Type == MultiChoice}
		if q.Type != FreeText {
			if len(q.Choices) == 0 {
				return nil, fmt.Errorf("the question %q needs choices, or the type FreeText", abridged(q.Text))
			}
			for _, choice := range q.Choices {
				asked.Options = append(asked.Options, option{choice})
			}
		}
		own.Questions = append(own.Questions, asked)
	}
	return json.Marshal(own)
}
