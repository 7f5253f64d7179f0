package loaf

import (
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
)

// The names and inputs of tools that models and clients of loaf know, as far as our tools can
// do what they say; those of one line are ours under our names. A tool that is not in this
// build, or not for this session, is not offered.
//
//go:embed toolset.json
var toolsetJSON []byte

var shownTools = lazy.Value[[]dialect.ShownTool]{New: func() []dialect.ShownTool { return dialect.ReadTools(toolsetJSON) }}

// toolset is the same one for every session.
var toolset = lazy.Value[[]engine.Binding]{New: func() []engine.Binding {
	var bindings []engine.Binding
	for _, t := range shownTools.Get() {
		b := t.Binding(changes.Get()[t.Name])
		b.AdaptResult = results.Get()[t.Name]
		bindings = append(bindings, b)
	}
	return bindings
}}

// changes is what has to be done to the inputs of some tools beside new names.
var changes = lazy.Value[map[string]dialect.Change]{New: func() map[string]dialect.Change {
	return map[string]dialect.Change{
		"bash":                  {Adapt: changeBash, Show: showBash},
		"write_background_bash": {Adapt: changeTyping},
		"stop_background_bash": {Adapt: func(shown map[string]jsontext.Value) error {
			delete(shown, "force")
			return nil
		}},
		"read_file": {Adapt: func(shown map[string]jsontext.Value) error { return changePaged(shown, "file_path") }},
		"list_dir":  {Adapt: func(shown map[string]jsontext.Value) error { return changePaged(shown, "dir_path") }},
	}
}}

func changeBash(shown map[string]jsontext.Value) error {
	if string(shown["run_in_background"]) == "true" {
		return errors.New("run_in_background is not for this tool: start the command with start_background_bash")
	}
	delete(shown, "run_in_background")
	if seconds, ok := shown["timeout_seconds"]; ok {
		shown["timeout_ms"] = valueOf(1000 * numberOf(seconds))
		delete(shown, "timeout_seconds")
	}
	return nil
}

// showBash counts seconds. A time that has no whole ones is left out.
func showBash(members map[string]jsontext.Value) error {
	limit, ok := members["timeout_ms"]
	if ms := numberOf(limit); ok && ms%1000 == 0 {
		delete(members, "timeout_ms")
		members["timeout_seconds"] = valueOf(ms / 1000)
	}
	return nil
}

// changePaged demands an absolute path, and writes the offset as a whole number.
func changePaged(shown map[string]jsontext.Value, path string) error {
	if name := stringOf(shown[path]); !filepath.IsAbs(name) {
		return fmt.Errorf("%s has to be an absolute path, which %q is not: begin it with the folder of the workspace", path, abridged(name))
	}
	if offset, ok := shown["offset"]; ok {
		shown["offset"] = valueOf(numberOf(offset))
	}
	return nil
}

// keys is what a terminal sends for them. Those that a terminal acts on itself are not here.
var keys = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"enter": "\n", "tab": "\t", "esc": "\x1b", "backspace": "\x7f", "delete": "\x1b[3~",
		"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
		"home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	}
}}

// changeTyping makes text of keys.
func changeTyping(shown map[string]jsontext.Value) error {
	key, pressed := shown["key"]
	repeat := 1
	if times, ok := shown["repeat"]; ok {
		repeat = numberOf(times)
	}
	delete(shown, "key")
	delete(shown, "repeat")
	if !pressed {
		return nil
	}
	if _, ok := shown["append_newline"]; !ok {
		shown["append_newline"] = valueOf(false)
	}
	name := stringOf(key)
	if name == "ctrl+d" {
		shown["close"] = valueOf(true)
		return nil
	}
	sequence, ok := keys.Get()[name]
	if !ok {
		return fmt.Errorf("%s cannot be pressed, for the command has no terminal: end it with stop_background_bash", name)
	}
	shown["input"] = valueOf(stringOf(shown["input"]) + strings.Repeat(sequence, repeat))
	return nil
}

// stringOf returns the text of a member that fits the schema; "" if it is absent.
func stringOf(value jsontext.Value) (text string) {
	_ = json.Unmarshal(value, &text)
	return text
}

// numberOf returns a whole number of a member that fits the schema, however it is written.
func numberOf(value jsontext.Value) int {
	var n float64
	_ = json.Unmarshal(value, &n)
	return int(min(n, mostRows))
}

func valueOf(member any) jsontext.Value {
	value, _ := json.Marshal(member) // of a valid string, a number or a boolean: cannot fail
	return value
}
