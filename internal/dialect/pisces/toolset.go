package pisces

import (
	_ "embed"
	"errors"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
)

// The names and inputs of tools that models and clients of this family know, as far as our tools
// can do what they say; those of one line are ours under our names.
//
//go:embed toolset.json
var toolsetJSON []byte

var shownTools = lazy.Value[[]dialect.ShownTool]{New: func() []dialect.ShownTool { return dialect.ReadTools(toolsetJSON) }}

// ToolNames returns the names of all tools, those that not every session has included.
func ToolNames() (names []string) {
	for _, t := range shownTools.Get() {
		names = append(names, t.Name)
	}
	return names
}

// toolset returns the tools that the command line leaves.
func toolset(f Flags) []engine.Binding {
	bindings := []engine.Binding{}
	for _, t := range shownTools.Get() {
		if f.allows(t.Name) {
			bindings = append(bindings, t.Binding(changes.Get()[t.Name]))
		}
	}
	return bindings
}

// changes is what has to be done to the inputs of some tools beside new names.
var changes = lazy.Value[map[string]dialect.Change]{New: func() map[string]dialect.Change {
	return map[string]dialect.Change{
		"read": {Adapt: changeRead, Show: func(members map[string]jsontext.Value) error { return negate(members, "line_numbers", "raw") }},
		"bash": {Adapt: changeBash, Show: showBash},
		"edit": {Adapt: changeEdit, Show: showEdit},
		"grep": {
			Adapt: func(shown map[string]jsontext.Value) error { return negate(shown, "gitignore", "ignored") },
			Show:  func(members map[string]jsontext.Value) error { return negate(members, "ignored", "gitignore") },
		},
	}
}}

// changeRead writes the offset as a whole number.
func changeRead(shown map[string]jsontext.Value) error {
	if offset, ok := shown["offset"]; ok {
		var n float64
		if err := json.Unmarshal(offset, &n); err != nil {
			return err
		}
		shown["offset"] = valueOf(int(n))
	}
	return negate(shown, "raw", "line_numbers")
}

// changeBash counts milliseconds.
func changeBash(shown map[string]jsontext.Value) error {
	timeout, ok := shown["timeout"]
	if !ok {
		return nil
	}
	var seconds float64
	if err := json.Unmarshal(timeout, &seconds); err != nil {
		return err
	}
	delete(shown, "timeout")
	shown["timeout_ms"] = valueOf(max(1, int(math.Round(1000*seconds))))
	return nil
}

// showBash counts seconds.
func showBash(members map[string]jsontext.Value) error {
	limit, ok := members["timeout_ms"]
	if !ok {
		return nil
	}
	var ms float64
	if err := json.Unmarshal(limit, &ms); err != nil {
		return err
	}
	delete(members, "timeout_ms")
	members["timeout"] = valueOf(ms / 1000)
	return nil
}

// A shownEdit is an edit of several as clients know it, an ownEdit the same as our tool does.
type (
	shownEdit struct {
		Old string `json:"oldText"`
		New string `json:"newText"`
	}
	ownEdit struct {
		Old        string `json:"old"`
		New        string `json:"new"`
		ReplaceAll bool   `json:"replace_all,omitzero"`
	}
)

// changeEdit gives the members of each edit our names.
func changeEdit(shown map[string]jsontext.Value) error {
	listed, ok := shown["edits"]
	if !ok {
		return nil
	}
	var edits []shownEdit
	if err := json.Unmarshal(listed, &edits); err != nil {
		return err
	}
	own := make([]ownEdit, len(edits))
	for i, e := range edits {
		own[i] = ownEdit{Old: e.Old, New: e.New}
	}
	shown["edits"] = valueOf(own)
	return nil
}

// showEdit gives the members of each edit the names that clients know.
func showEdit(members map[string]jsontext.Value) error {
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
		if e.ReplaceAll {
			return errors.New("one of several edits cannot replace every place")
		}
		edits[i] = shownEdit{e.Old, e.New}
	}
	members["edits"] = valueOf(edits)
	return nil
}

// negate puts the opposite of a boolean under another name.
func negate(shown map[string]jsontext.Value, name, opposite string) error {
	value, ok := shown[name]
	if !ok {
		return nil
	}
	delete(shown, name)
	shown[opposite] = valueOf(string(value) != "true")
	return nil
}

func valueOf(member any) jsontext.Value {
	value, _ := json.Marshal(member) // of strings, numbers and booleans: cannot fail
	return value
}
