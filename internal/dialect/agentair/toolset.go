package agentair

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
)

// The names and inputs of tools that models and clients of the protocol know, as far as our
// tools can do what they say; those of one line are ours under our names.
//
//go:embed toolset.json
var toolsetJSON []byte

// A shownTool is an entry of toolset.json. Without a schema the input is the tool's own.
type shownTool struct {
	Name        string                    `json:"name"`
	Tool        string                    `json:"tool"`
	Description string                    `json:"description,omitzero"`
	Schema      jsontext.Value            `json:"schema,omitzero"`
	Rename      map[string]string         `json:"rename,omitzero"` // shown members to the tool's own
	Set         map[string]jsontext.Value `json:"set,omitzero"`    // the tool's own members where the shown input has none
}

var shownTools = sync.OnceValue(func() []shownTool {
	var tools []shownTool
	if err := json.Unmarshal(toolsetJSON, &tools); err != nil {
		panic("toolset.json: " + err.Error()) // it is part of the program, and tested
	}
	return tools
})

func toolset() []engine.Binding {
	var bindings []engine.Binding
	for _, t := range shownTools() {
		b := engine.Binding{Name: t.Name, Tool: t.Tool, Description: t.Description, Schema: t.Schema}
		if t.Schema != nil {
			b.Adapt = t.adapt
		}
		if t.Name == "ask_user_questions" {
			b.Adapt = adaptQuestions
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
	if err := demandAbsolute(t.Name, shown); err != nil {
		return nil, err
	}
	if t.Name == "multi_edit" {
		if err := changeEdits(shown); err != nil {
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
			return fmt.Errorf("%s has to be an absolute path, which %q is not", member, abridged(name))
		}
	}
	return nil
}

// changeEdits gives the members of each edit our names.
func changeEdits(shown map[string]jsontext.Value) error {
	var edits []struct {
		Old        string `json:"old_string"`
		New        string `json:"new_string"`
		ReplaceAll bool   `json:"replace_all"`
	}
	if err := json.Unmarshal(shown["edits"], &edits); err != nil {
		return err
	}
	type edit struct {
		Old        string `json:"old"`
		New        string `json:"new"`
		ReplaceAll bool   `json:"replace_all,omitzero"`
	}
	own := make([]edit, len(edits))
	for i, e := range edits {
		own[i] = edit(e)
	}
	var err error
	shown["edits"], err = json.Marshal(own)
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
