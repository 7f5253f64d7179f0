package pisces

import (
	_ "embed"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
)

// The names and inputs of tools that models and clients of this family know, as far as our tools
// can do what they say; those of one line are ours under our names.
//
//go:embed toolset.json
var toolsetJSON []byte

var shownTools = sync.OnceValue(func() []dialect.ShownTool { return dialect.ReadTools(toolsetJSON) })

// ToolNames returns the names of all tools, those that not every session has included.
func ToolNames() (names []string) {
	for _, t := range shownTools() {
		names = append(names, t.Name)
	}
	return names
}

// toolset returns the tools that the command line leaves.
func toolset(f Flags) []engine.Binding {
	bindings := []engine.Binding{}
	for _, t := range shownTools() {
		if f.allows(t.Name) {
			bindings = append(bindings, t.Binding(changes[t.Name]))
		}
	}
	return bindings
}

// changes is what has to be done to the shown inputs of some tools beside new names.
var changes = map[string]func(shown map[string]jsontext.Value) error{
	"read": changeRead,
	"bash": changeBash,
	"edit": changeEdit,
	"grep": changeGrep,
}

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
	shown["timeout_ms"] = valueOf(max(1, int(1000*seconds)))
	return nil
}

// changeEdit gives the members of each edit our names.
func changeEdit(shown map[string]jsontext.Value) error {
	listed, ok := shown["edits"]
	if !ok {
		return nil
	}
	var edits []struct {
		Old string `json:"oldText"`
		New string `json:"newText"`
	}
	if err := json.Unmarshal(listed, &edits); err != nil {
		return err
	}
	type edit struct {
		Old string `json:"old"`
		New string `json:"new"`
	}
	own := make([]edit, len(edits))
	for i, e := range edits {
		own[i] = edit(e)
	}
	shown["edits"] = valueOf(own)
	return nil
}

func changeGrep(shown map[string]jsontext.Value) error { return negate(shown, "gitignore", "ignored") }

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
